import { createHmac, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
/** Clocks of phones differ by about this many steps. */
const STEPS_ASIDE = 1;

/**
 * The time step whose code this is, or null when it belongs to none near now (RFC 6238 with HMAC-SHA-1, six digits and
 * steps of 30 s: what authenticator apps compute).
 *
 * @param secret bytes of the shared secret, before they are written in base32
 * @param code six digits
 */
export function totpStepOf(secret: Uint8Array, code: string, nowMs: number): number | null {
  const now = Math.floor(nowMs / STEP_MS);
  const steps = Array.from({ length: 2 * STEPS_ASIDE + 1 }, (_, i) => now - STEPS_ASIDE + i);
  const input = Buffer.from(code);
  const matches = (step: number) => {
    const expected = Buffer.from(totpCode(secret, step));
    return expected.length === input.length && timingSafeEqual(expected, input);
  };
  return steps.findLast(matches) ?? null;
}

/**
 * A code as it was typed, of an app or a backup code, without the spaces that apps show within it and what is not seen; also
 * with a hyphen between the digits (`123-456`), which are read in any script's width (NFKC).
 */
export function readCode(typed: string): string {
  const code = typed.normalize('NFKC').replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '');
  return /^\d{3}-\d{3}$/.test(code) ? code.replace('-', '') : code;
}

/** The code of a time step (RFC 4226, 5.3). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
