import { shareOut } from "./clip-share.ts";
import type { Resort, Slot } from "./clip-slots.ts";

const LAST_RESORTS: readonly Resort[] = ["replace-image", "replace-unknown", "replace-reasoning"];

/**
 * Which slots are to be made smaller, and to how many tokens. Small items stay whole; whole blocks are replaced only
 * when clipping all the rest to nothing would not be enough, those first with which most is gained.
 */
export function allot(slots: readonly Slot[], budgetTokens: number): ReadonlyMap<Slot, number> {
  const replaced = chooseReplaced(slots, budgetTokens);
  const wishes = slots.map((slot) => {
    if (replaced.has(slot)) return { least: slot.leastTokens, most: slot.leastTokens };
    return { least: smallest(slot), most: slot.shownTokens };
  });
  const budgets = new Map<Slot, number>();
  for (const [index, share] of shareOut(wishes, budgetTokens).entries()) {
    const slot = slots[index];
    if (slot !== undefined && (replaced.has(slot) || share < slot.shownTokens)) budgets.set(slot, share);
  }
  return budgets;
}

function smallest({ resort, leastTokens, shownTokens }: Slot): number {
  return resort === "clip" ? Math.min(leastTokens, shownTokens) : shownTokens;
}

function chooseReplaced(slots: readonly Slot[], budgetTokens: number): ReadonlySet<Slot> {
  let leastTokens = slots.reduce((sum, slot) => sum + smallest(slot), 0);
  const replaced = new Set<Slot>();
  for (const resort of LAST_RESORTS) {
    const groups = groupSlots(slots.filter((slot) => slot.resort === resort));
    for (const { group, gainTokens } of groups.toSorted((a, b) => b.gainTokens - a.gainTokens)) {
      if (leastTokens <= budgetTokens || gainTokens <= 0) break;
      for (const slot of group) replaced.add(slot);
      leastTokens -= gainTokens;
    }
  }
  return replaced;
}

function groupSlots(slots: readonly Slot[]) {
  const groups = new Map<string, Slot[]>();
  for (const slot of slots) {
    const group = groups.get(slot.group);
    if (group === undefined) groups.set(slot.group, [slot]);
    else group.push(slot);
  }
  return [...groups.values()].map((group) => ({
    group,
    gainTokens: group.reduce((sum, slot) => sum + slot.shownTokens - slot.leastTokens, 0),
  }));
}
