export interface ScratchpadRemoval {
  /** The reply without what the model only thought. */
  readonly text: string;
  /** The last scratchpad was never closed, so everything after it was removed too. */
  readonly isUnclosed: boolean;
}

const SCRATCHPAD_TAG = /<(\/?)scratchpad>/g;

/** Removes every scratchpad from a reply; one inside another is part of that one. */
export function removeScratchpads(reply: string): ScratchpadRemoval {
  let visible: string[] = [];
  let depth = 0;
  let position = 0;
  for (const tag of reply.matchAll(SCRATCHPAD_TAG)) {
    if (tag[1] === "") {
      if (depth === 0) visible.push(reply.slice(position, tag.index));
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
    } else {
      // Closed but never opened: some servers begin the reply inside the scratchpad.
      visible = [];
    }
    position = tag.index + tag[0].length;
  }
  if (depth === 0) visible.push(reply.slice(position));
  // With nothing between them, the two sides of a scratchpad could join into a tag that the model did not write.
  return { text: visible.join(" "), isUnclosed: depth > 0 };
}
