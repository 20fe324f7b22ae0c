import type { Density } from "../model/strata-viewport.ts";

interface DensityChoiceProps {
  readonly value: Density;
  readonly onChange: (density: Density) => void;
}

/** Whether rows are to be read, or as many as possible to be seen. */
export function DensityChoice({ value, onChange }: DensityChoiceProps) {
  return (
    <label>
      Rows{" "}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value === "read" ? "read" : "overview")}>
        <option value="read">to read</option>
        <option value="overview">as an overview</option>
      </select>
    </label>
  );
}
