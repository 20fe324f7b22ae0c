import { asName, fieldAt } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";

/** A document of any wire: its bytes, its address or its text. */
export type Document = DocumentContent & { readonly filename?: string };

type DocumentContent =
  | { readonly type: "inline"; readonly mediaType: string; readonly data: string }
  | { readonly type: "link"; readonly url: string }
  | { readonly type: "text"; readonly text: string };

const PDF = "application/pdf";
/** The name for a PDF that has none: OpenAI refuses bytes without a name. */
const UNNAMED_PDF = "document.pdf";
const DOCUMENT_TYPES: ReadonlySet<string> = new Set(["document", "file", "input_file", "fileData"]);
const BASE64_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^;,]*)*;base64,/i;

/** Reads a document in the form of any wire; undefined for other blocks, and for a document that only its own provider can find. */
export function readDocument(block: Block): Document | undefined {
  const content = readContent(block);
  const filename = filenameOf(block);
  return content && { ...content, ...(filename !== undefined && { filename }) };
}

function readContent(block: Block): DocumentContent | undefined {
  switch (block.type) {
    case "image":
      return pdfContent(readSource(block));
    case "document":
      return readSource(block);
    case "file":
      return readFile(fieldAt(block, "file"), filenameOf(block));
    case "input_file":
      return readFile(block, filenameOf(block));
    case "fileData":
      return isPdfType(fieldAt(block, "fileData", "mimeType"))
        ? linked(fieldAt(block, "fileData", "fileUri"))
        : undefined;
    default:
      return undefined;
  }
}

/** The content if it is a PDF, which some wires have as an image block; undefined for a real image. */
function pdfContent(content: DocumentContent | undefined): DocumentContent | undefined {
  return content?.type === "inline" && isPdfType(content.mediaType) ? content : undefined;
}

function isPdfType(mediaType: unknown): boolean {
  return typeof mediaType === "string" && mediaType.toLowerCase() === PDF;
}

function readSource(block: Block): DocumentContent | undefined {
  const [type, url, mediaType, data] = ["type", "url", "media_type", "data"].map((name) =>
    asName(fieldAt(block, "source", name)),
  );
  if (type === "url") return url === undefined ? undefined : (inlineOf(url) ?? linked(url));
  if (data === undefined) return undefined;
  if (type === "text") return { type: "text", text: data };
  return type === "base64" && mediaType !== undefined ? { type: "inline", mediaType, data } : undefined;
}

/** Reads a file in one of OpenAI's forms: a data URL, base64 with a file name, or an address. */
function readFile(file: unknown, filename: string | undefined): DocumentContent | undefined {
  const data = asName(fieldAt(file, "file_data"));
  if (data === undefined) return linked(fieldAt(file, "file_url"));
  const plainPdf = filename?.toLowerCase().endsWith(".pdf")
    ? { type: "inline" as const, mediaType: PDF, data }
    : undefined;
  return inlineOf(data) ?? (/^data:/i.test(data) ? undefined : plainPdf);
}

function inlineOf(url: string): DocumentContent | undefined {
  // Only the beginning is matched: the rest may be megabytes.
  const [prefix, mediaType = ""] = BASE64_URL.exec(url.slice(0, 200)) ?? [];
  return prefix === undefined ? undefined : { type: "inline", mediaType, data: url.slice(prefix.length) };
}

function linked(url: unknown): DocumentContent | undefined {
  return typeof url === "string" && /^https?:/i.test(url) ? { type: "link", url } : undefined;
}

function filenameOf(block: Block): string | undefined {
  const [named, inFile, title] = [["filename"], ["file", "filename"], ["title"]].map((path) =>
    asName(fieldAt(block, ...path)),
  );
  return named ?? inFile ?? (block.type === "document" ? title : undefined);
}

/** The bytes of a PDF, which every wire takes; undefined for any other document. */
export function pdfOf(document: Document): { readonly data: string; readonly filename?: string } | undefined {
  return document.type === "inline" && isPdfType(document.mediaType) ? document : undefined;
}

/** The fields of a PDF on OpenAI's APIs: the bytes as a data URL, and a name, which is required. */
export function openAiFile({ data, filename = UNNAMED_PDF }: { readonly data: string; readonly filename?: string }) {
  return { file_data: `data:${PDF};base64,${data}`, filename };
}

/** The line in place of a document that a wire cannot hold: its type, name and address, never its bytes. Undefined for other blocks. */
export function documentLine(block: Block): string | undefined {
  const document = readDocument(block);
  if (document === undefined && !DOCUMENT_TYPES.has(block.type)) return undefined;
  const stated = asName(fieldAt(block, "source", "media_type")) ?? asName(fieldAt(block, "fileData", "mimeType"));
  const kind = (document?.type === "inline" ? document.mediaType : stated) ?? block.type;
  const url = document?.type === "link" ? document.url : undefined;
  const filename = block.type === "document" ? undefined : filenameOf(block);
  return `[Not shown here: ${[kind, filename, url].filter((text) => text !== undefined).join(", ")}]`;
}
