/** The version that `engines` in package.json demands: npm only warns about an older one. */
const LEAST_NODE = [22, 13] as const;

/** The error message for a Node that is too old for the commands; undefined if it is not. */
export function tooOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Node ${LEAST_NODE.join(".")} or newer is needed, and this is Node ${version}. Update Node, then run it again.`;
}
