import type { OutputFormat, SuccessCriterion, TaskConstraints, TaskLayer, ToolValidator } from "../task-layer.ts";
import {
  amount,
  anything,
  assertPlainObject,
  type Check,
  flag,
  listOf,
  moment,
  oneOf,
  optional,
  shape,
  text,
  textOr,
  texts,
} from "./checks.ts";

const outputFormat = shape<OutputFormat>({
  type: oneOf({ text: true, markdown: true, json: true }),
  schema: optional((value, path) => assertPlainObject(path, value)),
  examples: optional(listOf(anything)),
});

const taskConstraints = shape<TaskConstraints>({
  timeMs: optional(amount),
  budgetUsd: optional(amount),
  quality: optional(text),
  rules: optional(texts),
});

const date: Check = (value, path) => (typeof value === "number" ? moment : text)(value, path);
const METADATA_CHECKS: Readonly<Record<string, Check>> = {
  tags: (value, path) => (Array.isArray(value) ? texts : text)(value, path),
  createdAt: date,
  deadlineAt: date,
};

const metadata: Check = (value, path) => {
  assertPlainObject(path, value);
  for (const [name, item] of Object.entries(value)) {
    const check = Object.hasOwn(METADATA_CHECKS, name) ? METADATA_CHECKS[name] : text;
    if (item !== undefined) (check ?? text)(item, `${path}[${JSON.stringify(name)}]`);
  }
};

const toolValidator = shape<ToolValidator>({ tool: text, input: anything });

const criterion = shape<SuccessCriterion>({
  description: text,
  measurable: flag,
  validator: (value, path) => {
    if (value !== undefined && value !== "function") toolValidator(value, path);
  },
});

/** The check of the task layer. */
export const taskCheck = shape<TaskLayer>({
  goal: text,
  successCriteria: listOf(textOr(criterion)),
  outputFormat: optional(textOr(outputFormat)),
  constraints: (value, path) => (Array.isArray(value) ? texts : taskConstraints)(value, path),
  metadata,
});
