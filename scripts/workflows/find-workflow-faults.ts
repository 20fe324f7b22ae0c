import { asList, readJobs, type WorkflowJob, type WorkflowStep } from "./read-workflow.ts";
import { parserFaults } from "./workflow-parser.ts";

export interface Workflow {
  readonly path: string;
  readonly text: string;
}

/** The scripts of package.json, by name. */
type Scripts = ReadonlySet<string>;

/** One line per fault: no runner is here to find them. */
export function findWorkflowFaults(workflows: readonly Workflow[], scripts: Scripts): readonly string[] {
  const faults = workflows.flatMap((workflow) => faultsOf(workflow, scripts).map((fault) => tell(workflow, fault)));
  if (faults.length > 0) return faults;
  const jobs = workflows.flatMap(({ text }) => readJobs(text));
  const closest = jobs.map(testFaults).toSorted((one, other) => one.length - other.length)[0] ?? ["there is no job"];
  return closest.map((fault) => `.github/workflows: no job tests all that we promise to run on: ${fault}`);
}

function tell({ path }: Workflow, fault: string): string {
  return fault.startsWith(path) ? fault : `${path}: ${fault}`;
}

function faultsOf({ path, text }: Workflow, scripts: Scripts): readonly string[] {
  const parsed = parserFaults(path, text);
  // What it refuses has no jobs to look at.
  if (parsed.length > 0) return parsed;
  return [...unpinnedActions(text), ...readJobs(text).flatMap((job) => jobFaults(job, scripts))];
}

function jobFaults(job: WorkflowJob, scripts: Scripts): readonly string[] {
  const commands = job.steps.flatMap(({ run }) => npmScripts(run));
  const unknownScripts = commands.filter((name) => !scripts.has(name));
  const used = [...job.source.matchAll(/\bmatrix\.([\w-]+)/g)].map(([, key = ""]) => key);
  const unknownKeys = [...new Set(used)].filter((key) => !(key in job.matrix));
  return [
    ...unknownScripts.map((name) => `job ${job.name} runs the script "${name}", which package.json does not have`),
    ...unknownKeys.map((key) => `job ${job.name} uses matrix.${key}, which its matrix does not have`),
  ];
}

/** The scripts that the commands of a step run through npm. */
export function npmScripts(run: string): readonly string[] {
  const calls = run.matchAll(/\bnpm (?:(?:run|run-script) ([\w:.-]+)|(test|start)(?![\w:.-]))/g);
  return [...calls].map(([, name, short]) => name ?? short ?? "");
}

const USES = /^[ \t-]*uses:[ \t]*(.*)$/gm;
const PINNED = /^["']?[\w.-]+\/[\w./-]+@[\da-f]{40}["']?[ \t]+#[ \t]*v\d+\.\d+\.\d+[ \t]*$/;

/** A tag can be moved to other code; a commit cannot. The comment says which version it is. */
function unpinnedActions(text: string): readonly string[] {
  const uses = [...text.matchAll(USES)].map(([, value = ""]) => value.trim());
  const unpinned = uses.filter((value) => !value.startsWith("./") && !PINNED.test(value));
  return unpinned.map((value) => `the action ${value} is not pinned: write its commit, and "# v1.2.3" behind it`);
}

const SYSTEMS = ["ubuntu-", "macos-"];
const NODE_VERSIONS = [22, 24, 26];
/** What makes `scripts/setup.mjs` run the tests on the Node of the runner. */
const NODE_SWITCH = { name: "PALIMPSEST_NODE", value: "machine" };

/** What a job lacks of the one that must be there: everything, on each system and each Node, and nothing that may be passed over. */
function testFaults({ name, runsOn, isOptional, environment, matrix, steps }: WorkflowJob): readonly string[] {
  const [systems, versions] = [asList(matrix.os).map(String), asList(matrix.node)];
  const place = (script: string) => steps.findIndex(({ run }) => npmScripts(run).includes(script));
  const [tests, chaos] = [place("test"), place("test:chaos")];
  const needed = steps.filter((step, index) => index === tests || index === chaos || setsUpNode(step));
  const holds: readonly (readonly [boolean, string])[] = [
    [isExpression(runsOn, "matrix.os"), "it does not run on matrix.os"],
    [SYSTEMS.every((start) => systems.some((system) => system.startsWith(start))), "matrix.os lacks Linux or macOS"],
    [
      NODE_VERSIONS.every((version) => versions.includes(version)),
      `matrix.node lacks one of ${NODE_VERSIONS.join(", ")}`,
    ],
    [steps.some(setsUpNode), "actions/setup-node does not get matrix.node"],
    [
      needed.every((step) => ({ ...environment, ...step.environment })[NODE_SWITCH.name] === NODE_SWITCH.value),
      `${NODE_SWITCH.name}: ${NODE_SWITCH.value} is not set, so every Node of the matrix tests the pinned one`,
    ],
    [!("exclude" in matrix), "its matrix leaves combinations out"],
    [tests >= 0, "npm test is not run"],
    [chaos > tests, "npm run test:chaos is not run after npm test"],
    [!isOptional && needed.every((step) => !step.isOptional), "it, or a step of it, may be left out or fail"],
  ];
  return holds.filter(([isTrue]) => !isTrue).map(([, fault]) => `job ${name}: ${fault}`);
}

function setsUpNode({ uses, with: inputs }: WorkflowStep): boolean {
  return uses.startsWith("actions/setup-node@") && isExpression(inputs["node-version"], "matrix.node");
}

function isExpression(value: unknown, name: string): boolean {
  return typeof value === "string" && /^\$\{\{(.*)\}\}$/.exec(value)?.[1]?.trim() === name;
}
