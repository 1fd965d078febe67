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

/** The hash of a random text that was not stored: checking a password against it takes as long as against a person's. */
export const UNKNOWN_PASSWORD =
  '$argon2id$v=19$m=19456,t=2,p=1$HSO8rpSn/Ewgvur7bEk75A$cVhmE8/wUOPg6ONvqiEcaZ1femtm6hy2PQCvwzvkGNI';
