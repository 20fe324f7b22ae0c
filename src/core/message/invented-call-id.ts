/** Ids of calls for which an agent sent none, or one that it had used before. They occur in every conversation. */

const INVENTED = "unnamed-call-";

/** The id for the call of this number in its conversation. */
export function inventCallId(number: number): string {
  return `${INVENTED}${number}`;
}

export function isInventedCallId(id: string): boolean {
  return id.startsWith(INVENTED);
}
