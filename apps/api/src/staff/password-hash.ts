import { hash, verify, type Options } from '@node-rs/argon2';

/** Argon2id (the library's default) with 19 MiB, 2 passes, 1 lane: the OWASP minimum, about 25 ms of one core. */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A password as it is stored: a PHC string with its salt and cost. */
export async function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), COST);
}

/** Whether a password is the one that was stored. */
export async function verifyPassword({
  hash: stored,
  password,
}: {
  hash: string;
  password: string;
}): Promise<boolean> {
  return verify(stored, password.normalize('NFKC'));
}
