import { thrownFailure } from "../../core/policy/thrown-failure.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import { reportedUsage } from "../../core/tokens/provider-usage.ts";
import { assertCalibration, calibrateSession } from "./calibrate.ts";
import { learnLimit } from "./learned-limit.ts";
import { assertSentRequest } from "./requests/sent-request.ts";
import { viewNow } from "./requests/sent-view.ts";
import type { Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";

type PromptOperations = Pick<
  Session,
  "observe" | "observeError" | "recordRequest" | "usePrompt" | "useModel" | "calibrate"
>;

/** The operations that set the model and the prompt, and those that learn from what the provider reported. */
export function promptOperations({ ports, live, state, requests, enqueue }: SessionContext): PromptOperations {
  return {
    observe: (usage) => {
      const reported = reportedUsage(usage);
      requests.observed(reported);
      state.meter().observe(reported);
    },
    observeError: (error) => {
      const tooLong = readTooLong(thrownFailure(error));
      if (tooLong.isTooLong) requests.refused();
      const { contextWindow } = state.model();
      const learned = learnLimit(tooLong, { contextWindow, sentTokens: state.meter().sentTokens() });
      if (learned !== undefined) state.learnLimit(learned);
      return tooLong;
    },
    recordRequest: async (request = {}) => {
      assertSentRequest(request);
      const { at, usage, messageCount, body, cacheDiagnosis, calibration } = request;
      const reported = usage === undefined ? undefined : reportedUsage(usage);
      return enqueue(async () => {
        // All that pauses comes before the log is read: messages may be appended meanwhile.
        const keptBody = body && (await requests.keepBody(body));
        await live.lookAhead();
        await requests.lookAhead();
        const isView = messageCount === live.log.saidMessages();
        const promptTokens = isView ? undefined : request.promptTokens;
        requests.sent(() => viewNow(live), { at, usage: reported, promptTokens, body: keptBody, cacheDiagnosis });
        // The calibration is one write with the request, which `requests.sent` only noted for later.
        const outcome =
          isView && calibration && (await calibrateSession({ ports, live, state }, calibration.usage, calibration));
        await live.log.flushLater();
        return outcome || undefined;
      });
    },
    usePrompt: state.usePrompt,
    useModel: state.useModel,
    calibrate: async (known, calibrateOptions = {}) => {
      assertCalibration(known, calibrateOptions);
      return enqueue(() => calibrateSession({ ports, live, state }, known, calibrateOptions));
    },
  };
}
