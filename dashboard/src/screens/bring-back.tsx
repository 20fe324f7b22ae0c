import { useState } from "preact/hooks";
import { sessionPath } from "../api/client.ts";
import type { ExpandedFold, RestorePrice } from "../api/types.ts";
import { counted, wholeNumber } from "../model/format.ts";
import { type RestoreChoice, restoreChoices } from "../model/restore-choices.ts";
import { priceText } from "../model/strata-cells.ts";
import { useGateway } from "../parts/gateway-context.ts";
import { Dialog, Failure, Loaded } from "../parts/small-parts.tsx";
import { messageOf, useResource } from "../parts/use-resource.ts";

/** What was brought back, and the version before: an undo goes there. */
export interface Restored {
  readonly versionBefore: number;
}

interface BringBackProps {
  readonly sessionId: string;
  readonly foldId: string;
  /** Where it can be brought back alone. */
  readonly messageId: string | undefined;
  readonly onClose: () => void;
  readonly onDone: (restored: Restored) => void;
}

const MOST_HIDDEN = 1_000;

/** Shows what bringing something back costs, before it is done. */
export function BringBack({ sessionId, foldId, messageId, onClose, onDone }: BringBackProps) {
  const { api } = useGateway();
  const path = sessionPath(sessionId, `/folds/${encodeURIComponent(foldId)}?limit=${MOST_HIDDEN}`);
  const { resource } = useResource<ExpandedFold>(path, sessionId);
  const [failure, setFailure] = useState<string>();
  const restore = async ({ target }: RestoreChoice) => {
    try {
      const { version } = await api.get<{ readonly version: number }>(sessionPath(sessionId));
      await api.send("POST", sessionPath(sessionId, "/restore"), target);
      onDone({ versionBefore: version });
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Bring it back?" onClose={onClose}>
      <p>What is brought back is part of the next request again, word for word. It can be undone.</p>
      <Loaded of={resource}>
        {(fold) =>
          restoreChoices(fold, messageId).map((choice, index) => (
            <Choice
              key={choice.pricePath}
              sessionId={sessionId}
              choice={choice}
              isFirst={index === 0}
              onChoose={() => void restore(choice)}
            />
          ))
        }
      </Loaded>
      {failure !== undefined && <Failure message={failure} />}
      <div class="row">
        <button type="button" onClick={onClose}>
          Leave it hidden
        </button>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly sessionId: string;
  readonly choice: RestoreChoice;
  readonly isFirst: boolean;
  readonly onChoose: () => void;
}

function Choice({ sessionId, choice, isFirst, onChoose }: ChoiceProps) {
  const { resource } = useResource<RestorePrice>(sessionPath(sessionId, choice.pricePath), sessionId);
  return (
    <section class="choice">
      <button type="button" class={isFirst ? "primary" : ""} disabled={resource.type === "loading"} onClick={onChoose}>
        {choice.label}
      </button>
      <Loaded of={resource}>{(price) => <PriceText price={price} />}</Loaded>
    </section>
  );
}

function PriceText({ price }: { readonly price: RestorePrice }) {
  const { tokens, extraUsd, fits, promptTokens, allowedTokens } = price;
  return (
    <div>
      <p>
        <strong>{counted(tokens, "token")} more</strong> in the next request,{" "}
        {priceText({ cachedUsd: extraUsd.cached, coldUsd: extraUsd.cold })}
      </p>
      {fits === false && (
        <p class="notice">
          It will not fit: {wholeNumber(promptTokens)} tokens are needed, and {wholeNumber(allowedTokens ?? 0)} are
          allowed. Something is hidden again at the next request.
        </p>
      )}
    </div>
  );
}
