/** Something said once in the example session that an agent may need again much later. */
export interface DemoFact {
  readonly question: string;
  /** Stands literally in that message, once, and in no other. */
  readonly answer: string;
  readonly messageId: string;
}

/** What recall can be tested on. A step added to the story moves the ids after it: the test names the new ones. */
export const demoFacts: readonly DemoFact[] = [
  { question: "On which port does staging listen?", answer: "47113", messageId: "m-001" },
  { question: "How many feed pages an hour are free?", answer: "640 pages an hour", messageId: "m-005" },
  {
    question: "Why is the clearance under the keel 45 cm?",
    answer: "because the silt at Saltmarrow moves after every gale",
    messageId: "m-017",
  },
  { question: "Who must be asked before the invoice export is touched?", answer: "Oddny Brask", messageId: "m-017" },
  { question: "Which request logged the first NaN height?", answer: "kw-7be2f0", messageId: "m-053" },
  { question: "What is the station key of Tarnhaven?", answer: "LC-TARN-0093", messageId: "m-057" },
  {
    question: "Why is the doubled extreme removed where pages are joined, and not in the search?",
    answer: "because every other reader of the list would otherwise have to know about it",
    messageId: "m-062",
  },
  { question: "Which commit fixed the lost tides?", answer: "c41d7e9", messageId: "m-069" },
  { question: "How often is the signing secret rotated?", answer: "every 19 days", messageId: "m-071" },
  { question: "Which lock timeout does migration 0015 set?", answer: "lock_timeout = '4s'", messageId: "m-076" },
  { question: "When does the gate of 潮見港 open?", answer: "満潮の25分前", messageId: "m-089" },
  { question: "Which draught does 望潮港 refuse at a silted berth?", answer: "一百二十厘米", messageId: "m-089" },
  {
    question: "Why are tide windows half-open?",
    answer: "so that two bookings may touch without overlapping",
    messageId: "m-092",
  },
  { question: "When is the release deployed?", answer: "Thursday 24 September", messageId: "m-113" },
  { question: "Who enforces the dusk rule of the crane?", answer: "Ines enforces that rule", messageId: "m-143" },
  { question: "Why can only a tug in refit be refuelled?", answer: "the pump is in the dry dock", messageId: "m-155" },
];
