import { render } from "preact";
import type { ReportData } from "./api/report-types.ts";
import { Report } from "./report/report.tsx";

const root = document.getElementById("app");
const text = document.getElementById("report-data")?.textContent;
if (root !== null && text) {
  const data: ReportData = JSON.parse(text);
  render(<Report data={data} />, root);
}
