import type { Message } from "../../../core/message/message.ts";

/** A fact that is said once in the example session, and that an agent may need again much later. */
export interface DemoFact {
  readonly question: string;
  /** The text of the fact, which occurs once in its message and in no other. */
  readonly answer: string;
  readonly messageId: string;
}

/** The facts to test recall with. A step that is added to the story changes the ids after it: the test names the new ones. */
export const demoFacts: readonly DemoFact[] = [
  ["m-001", "On which port does staging listen?", "47113"],
  ["m-003", "How many feed pages an hour are free?", "640 pages an hour"],
  ["m-011", "Why is the clearance under the keel 45 cm?", "because the silt at Saltmarrow moves after every gale"],
  ["m-011", "Who must be asked before the invoice export is touched?", "Oddny Brask"],
  ["m-031", "Why can only a tug in refit be refuelled?", "the pump is in the dry dock"],
  ["m-055", "Which request logged the first NaN height?", "kw-7be2f0"],
  ["m-057", "What is the station key of Tarnhaven?", "LC-TARN-0093"],
  ["m-058", "Why is the doubled extreme removed where pages join?", "because every other reader would have to know"],
  ["m-063", "Which commit fixed the lost tides?", "c41d7e9"],
  ["m-065", "How often is the signing secret rotated?", "every 19 days"],
  ["m-067", "When does the gate of 潮見港 open?", "満潮の25分前"],
  ["m-067", "Which draught does 望潮港 refuse at a silted berth?", "一百二十厘米"],
  ["m-068", "Why are tide windows half-open?", "so that two bookings may touch without overlapping"],
  ["m-068", "Which lock timeout does migration 0015 set?", "lock_timeout = '4s'"],
  ["m-079", "When is the release deployed?", "Thursday 24 September"],
  ["m-089", "Who enforces the dusk rule of the crane?", "Ines enforces that rule"],
].map(([messageId = "", question = "", answer = ""]) => ({ question, answer, messageId }));

/** The facts whose answers are in no message of the view, in the order of the session. */
export function hiddenFacts(facts: readonly DemoFact[], view: readonly Message[]): readonly DemoFact[] {
  const shown = JSON.stringify(view);
  return facts.filter(({ answer }) => !shown.includes(JSON.stringify(answer).slice(1, -1)));
}
