import { generateKeyPairSync, sign } from "node:crypto";

export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

const COMMON_NAME = objectId("550403");
const ALTERNATIVE_NAME = objectId("551d11");
const ECDSA_WITH_SHA256 = sequence(objectId("2a8648ce3d040302"));

/** A certificate of a host that vouches for itself, valid for a day, and its key. */
export function selfSigned(host: string): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(host)))));
  const content = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(Date.now() - 3_600_000), time(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(extension(ALTERNATIVE_NAME, sequence(tagged(0x82, Buffer.from(host)))))),
  );
  const signature = sign("sha256", content, privateKey);
  const whole = sequence(content, ECDSA_WITH_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

// DER: a tag, a length, and what it holds.
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), body]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/\D/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, tagged(0x04, value));
}

function objectId(hexadecimal: string): Buffer {
  return tagged(0x06, Buffer.from(hexadecimal, "hex"));
}
