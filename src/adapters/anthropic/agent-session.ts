import { tryParseJson } from "../../core/json/parse-json.ts";
import { asName, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";

const SESSION = "_session_";

/**
 * The agent's session as `metadata.user_id` names it: in a text of JSON, or behind the user and the account. Any other id names
 * a person, who may have many sessions.
 */
export function agentSessionOf(fields: JsonRecord): string | undefined {
  const userId = asText(fieldAt(fields, "metadata", "user_id"));
  if (userId === undefined) return undefined;
  if (userId.trimStart().startsWith("{")) return asName(fieldAt(tryParseJson(userId), "session_id"));
  const hasAccount = userId.startsWith("user_") && userId.includes("_account_");
  const at = userId.lastIndexOf(SESSION);
  return hasAccount && at >= 0 ? asName(userId.slice(at + SESSION.length)) : undefined;
}
