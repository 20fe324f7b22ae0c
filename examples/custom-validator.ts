import { type CondensationValidator, createEngine, type Message, modelCondenser, type Resolvers } from "palimpsest";
import { createModelHandler } from "palimpsest/providers";
import { startModelServer } from "palimpsest/testing";

// For agents that work from tickets: every ticket that was visible before must be visible after.
const ticketValidator: CondensationValidator = {
  name: "tickets",
  validate(original, condensed) {
    const before = ticketsOf(original);
    const after = ticketsOf(condensed);
    const missing = [...before].filter((ticket) => !after.has(ticket));
    return {
      isValid: missing.length === 0,
      issues: missing.map((ticket) => `${ticket} is gone.`),
      score: before.size === 0 ? 1 : 1 - missing.length / before.size,
    };
  },
};

function ticketsOf(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(JSON.stringify(messages).match(/\b[A-Z]{2,6}-\d+\b/g));
}

// A prompt in the person's language; undefined keeps the condenser's own prompt.
const resolvers: Resolvers = {
  prompt: ({ messages }, strategy) => {
    const isGerman = /\b(?:bitte|und|nicht)\b/.test(JSON.stringify(messages[0]));
    return isGerman && strategy === "summary" ? "Fasse das Gespräch zusammen. Nenne jedes Ticket." : undefined;
  },
};

// A scripted model on loopback: its summary forgets HAF-13, its snapshot does not.
const server = await startModelServer();
const work = "Die Person nennt Tickets, die Lampen am Kai werden geprüft, bisher ohne Befund.";
const snapshot = `<state_snapshot>
<overall_goal>Alle Tickets abarbeiten.</overall_goal>
<key_knowledge>${work}</key_knowledge>
<file_system_state>none</file_system_state>
<recent_actions>Erledigt: HAF-11, HAF-12, HAF-13, HAF-14, HAF-15, HAF-16, HAF-17, HAF-18.</recent_actions>
<current_plan>[TODO] das nächste Ticket</current_plan>
</state_snapshot>`;
server.script({ type: "text", text: `${work} Erledigt: HAF-11, HAF-12, HAF-14, HAF-15, HAF-16, HAF-17, HAF-18.` });
server.script({ type: "text", text: snapshot });
const baseUrl = server.baseUrls.deepseek;
const handler = createModelHandler({ model: "deepseek/deepseek-chat", baseUrl, apiKey: "any" });

const engine = createEngine({
  model: "claude-sonnet-4-5",
  condenser: [
    modelCondenser(handler, { strategy: "summary" }),
    modelCondenser(handler, { strategy: "snapshot", priority: -1 }),
  ],
  validators: [ticketValidator],
  hooks: [{ name: "notice", preCompress: ({ trigger }) => console.log(`condensing (${trigger})`) }],
  resolvers,
});
const session = await engine.session("tickets");
await session.append({ role: "user", content: "Ich nenne Tickets, du arbeitest sie ab: bitte eins nach dem anderen." });
for (let ticket = 11; ticket <= 20; ticket++) {
  const report = `Lampe ${ticket} am Kai ist in Ordnung. `.repeat(40).trim();
  await session.append({ role: "assistant", content: report }, { role: "user", content: `Weiter mit HAF-${ticket}.` });
}
await session.condense();
for (const entry of engine.getHistory()) {
  if (entry.type === "failure") console.log(`${entry.strategy}: ${entry.error}`);
  if (entry.type === "success") console.log(`${entry.strategy}: accepted, score for tickets ${entry.scores.tickets}`);
}
for (const { body } of server.requests) {
  console.log(
    JSON.stringify(body).includes("Fasse das Gespräch") ? "asked in German" : "asked with the default prompt",
  );
}
await server.close();
