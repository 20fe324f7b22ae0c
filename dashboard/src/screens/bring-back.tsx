import { useState } from "preact/hooks";
import { sessionPath } from "../api/client.ts";
import type { Fold, FoldPrice } from "../api/types.ts";
import { counted, wholeNumber } from "../model/format.ts";
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
  readonly message: { readonly id: string; readonly tokens: number } | undefined;
  readonly versionNow: () => Promise<number>;
  readonly onClose: () => void;
  readonly onDone: (restored: Restored) => void;
}

/** Shows what bringing something back costs, before it is done. */
export function BringBack({ sessionId, foldId, message, versionNow, onClose, onDone }: BringBackProps) {
  const { api } = useGateway();
  const path = sessionPath(sessionId, `/folds/${encodeURIComponent(foldId)}`);
  const price = useResource<FoldPrice>(`${path}/price`, sessionId);
  const fold = useResource<Fold>(`${path}?limit=1`, sessionId);
  const [failure, setFailure] = useState<string>();
  const restore = async (target: object) => {
    try {
      const versionBefore = await versionNow();
      await api.send("POST", sessionPath(sessionId, "/restore"), target);
      onDone({ versionBefore });
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Bring it back?" onClose={onClose}>
      {fold.resource.type === "loaded" && <p>{foldText(fold.resource.value)}</p>}
      <Loaded of={price.resource}>{(known) => <PriceText price={known} />}</Loaded>
      {failure !== undefined && <Failure message={failure} />}
      <div class="row">
        <button type="button" class="primary" onClick={() => void restore({ foldId })}>
          Bring back all of it
        </button>
        {message !== undefined && (
          <button type="button" onClick={() => void restore({ from: message.id, to: message.id })}>
            Only this message ({counted(message.tokens, "token")})
          </button>
        )}
        <button type="button" onClick={onClose}>
          Leave it hidden
        </button>
      </div>
    </Dialog>
  );
}

function foldText({ kind, messages, blocks }: Fold): string {
  const hidden = [
    ...(messages > 0 ? [counted(messages, "message")] : []),
    ...(blocks > 0 ? [counted(blocks, "part of a message", "parts of messages")] : []),
  ];
  return `This fold (${kind}) hides ${hidden.join(" and ")}. Bringing it back shows all of it again in the next request, word for word.`;
}

function PriceText({ price }: { readonly price: FoldPrice }) {
  const { tokens, extraUsd, fits, promptTokens, allowedTokens } = price;
  return (
    <>
      <p>
        <strong>{counted(tokens, "token")} more</strong>: the next request costs{" "}
        {priceText({ cachedUsd: extraUsd.cached, coldUsd: extraUsd.cold })}, in addition to what it costs now.
      </p>
      {fits === false && (
        <p class="notice">
          It will not fit: {wholeNumber(promptTokens)} tokens would be needed, and {wholeNumber(allowedTokens ?? 0)} are
          allowed. Something is hidden again at the next request.
        </p>
      )}
    </>
  );
}
