/** Rough costs of a picture, a document of a hundred pages, and a minute of sound or film. */
const MEDIA_TOKENS = { image: 3_000, pdf: 25_800, audio: 1_920, video: 17_700 } as const;

type MediaKind = keyof typeof MEDIA_TOKENS;

/** The kind of a medium by the beginning of its media type. */
const MEDIA_TYPES: readonly (readonly [start: string, kind: MediaKind])[] = [
  ["image/", "image"],
  ["application/pdf", "pdf"],
  ["audio/", "audio"],
  ["video/", "video"],
];

/** No API nests media deeper, and the limit bounds the work on values that are nested without end. */
const MAX_MEDIA_DEPTH = 32;

export interface FoundMedia {
  /** The sum over all media. */
  readonly tokens: number;
  /** The objects that are media, with their wrappers. */
  readonly media: ReadonlySet<unknown>;
}

/** Finds the media in a part of a message, in the form of any known API, up to 32 levels deep. */
export function findMedia(part: unknown): FoundMedia {
  const media = new Set<unknown>();
  const seen = new Set<unknown>();
  let tokens = 0;
  let level: readonly unknown[] = [part];
  for (let depth = 0; depth <= MAX_MEDIA_DEPTH && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      // An object that contains itself is visited once; a picture that occurs twice counts twice.
      if (!isObject(value) || seen.has(value)) continue;
      const kind = mediaKind(value);
      if (kind === undefined) {
        seen.add(value);
        for (const inner of Object.values(value)) if (isObject(inner)) next.push(inner);
      } else {
        media.add(value);
        tokens += MEDIA_TOKENS[kind];
      }
    }
    level = next;
  }
  return { tokens, media };
}

/** Fields that hold a medium, or say where it is. */
const PAYLOADS = ["data", "blob", "url", "fileUri", "file_uri", "image"] as const;
/** Fields whose object is a medium: an object with such a field is only its wrapper. */
const WRAPPERS = ["inlineData", "inline_data", "fileData", "file_data", "source", "resource", "file", "image"] as const;
/** The kinds of blocks whose `type` names a medium, whatever field holds it. */
const BLOCK_KINDS: Readonly<Record<string, MediaKind | undefined>> = {
  image: "image",
  image_url: "image",
  input_image: "image",
  audio: "audio",
  input_audio: "audio",
};
const BLOCK_PAYLOADS = ["data", "image", "image_url", "input_audio", "file_id", "source"] as const;

/** The deepest known form, a file of Chat Completions, has one wrapper; two are followed. */
const MAX_WRAPPERS = 2;

function mediaKind(value: object, wrappers = MAX_WRAPPERS): MediaKind | undefined {
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const stated = kindOfType(fields.mimeType ?? fields.mime_type ?? fields.mediaType ?? fields.media_type);
  if (stated !== undefined && PAYLOADS.some((name) => fields[name] !== undefined)) return stated;
  const wrapped = WRAPPERS.map((name) => fields[name]).find(isObject);
  const inner = wrapped === undefined || wrappers === 0 ? undefined : mediaKind(wrapped, wrappers - 1);
  if (inner !== undefined) return inner;
  const named = typeof fields.type === "string" ? BLOCK_KINDS[fields.type] : undefined;
  if (named !== undefined && BLOCK_PAYLOADS.some((name) => fields[name] !== undefined)) return named;
  return kindOfDataUrl(fields.url) ?? kindOfDataUrl(fields.data) ?? kindOfFile(fields);
}

/** The kind of an OpenAI file: its `file_data` is a data URL, or base64 with a `filename` that tells the type. */
function kindOfFile({ file_data, filename }: Readonly<Record<string, unknown>>): MediaKind | undefined {
  if (typeof file_data !== "string") return undefined;
  const isPdf = typeof filename === "string" && filename.toLowerCase().endsWith(".pdf");
  return kindOfDataUrl(file_data) ?? (isPdf ? "pdf" : undefined);
}

function kindOfDataUrl(url: unknown): MediaKind | undefined {
  return typeof url === "string" && /^data:/i.test(url) ? kindOfType(url.slice("data:".length, 100)) : undefined;
}

function kindOfType(mediaType: unknown): MediaKind | undefined {
  if (typeof mediaType !== "string") return undefined;
  const written = mediaType.slice(0, 100).toLowerCase();
  return MEDIA_TYPES.find(([start]) => written.startsWith(start))?.[1];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
