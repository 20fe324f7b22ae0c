import { hash } from "node:crypto";

export interface RecordFields {
  readonly sessionKey: number;
  readonly version: number;
  readonly at: number;
  readonly isRewrite: boolean;
  readonly body: string;
}

/** The checksum of a record: covers all fields that `read` returns, and its session and version. */
export function recordChecksum({ sessionKey, version, at, isRewrite, body }: RecordFields): string {
  return hash("sha256", `${sessionKey} ${version} ${at} ${isRewrite}\n${body}`, "base64url");
}

export interface SessionHead {
  readonly id: string;
  readonly version: number;
  readonly rewriteVersion: number;
}

/** The checksum of a session's row: covers its id and versions. */
export function headChecksum({ id, version, rewriteVersion }: SessionHead): string {
  return hash("sha256", `${version} ${rewriteVersion}\n${id}`, "base64url");
}

export interface CheckpointFields {
  readonly sessionKey: number;
  readonly id: string;
  readonly at: number;
  readonly body: string;
}

export function checkpointChecksum({ sessionKey, id, at, body }: CheckpointFields): string {
  return hash("sha256", `${sessionKey} ${at} ${JSON.stringify(id)}\n${body}`, "base64url");
}
