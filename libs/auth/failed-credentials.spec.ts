import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { FailedCredentials } from './failed-credentials';

const ATTACKER = parseIpAddress('203.0.113.66');
const OTHER = parseIpAddress('203.0.113.9');

let nowMs: number;
let failures: FailedCredentials;

beforeEach(() => {
  nowMs = 0;
  failures = new FailedCredentials(() => nowMs);
});

function fail(times: number, address = ATTACKER): void {
  for (let i = 0; i < times; i += 1) failures.note(address);
}

it('refuses a network that has failed a hundred times at once, and no other', () => {
  fail(100);
  expect(failures.refusal(ATTACKER)).toBeNull();
  fail(1);
  expect(failures.refusal(ATTACKER)).toMatchObject({
    code: 'too_many_failed_credentials',
    message: expect.stringContaining('203.0.113.66') as string,
    options: { retryAfterSecs: 1 },
  });
  expect(failures.refusal(OTHER)).toBeNull();
});

it('lets ten a second through afterwards', () => {
  fail(110);
  nowMs += 999;
  expect(failures.refusal(ATTACKER)).not.toBeNull();
  nowMs += 1;
  expect(failures.refusal(ATTACKER)).toBeNull();
});

it('lets no network wait longer than ten seconds, however often it has failed', () => {
  fail(10_000);
  expect(failures.refusal(ATTACKER)?.options.retryAfterSecs).toBe(10);
  nowMs += 10_000;
  expect(failures.refusal(ATTACKER)).toBeNull();
});

it('counts a /64 of IPv6 as one, and clients that cannot be known as another', () => {
  for (let i = 0; i < 101; i += 1) failures.note(parseIpAddress(`2001:db8:1:2::${i.toString(16)}`));
  expect(failures.refusal(parseIpAddress('2001:db8:1:2:ffff::1'))).not.toBeNull();
  expect(failures.refusal(parseIpAddress('2001:db8:1:3::1'))).toBeNull();
  expect(failures.refusal(null)).toBeNull();
  for (let i = 0; i < 101; i += 1) failures.note(null);
  expect(failures.refusal(null)).not.toBeNull();
});

it('keeps a bounded number of networks: the one that failed longest ago is dropped', () => {
  fail(101);
  for (let i = 0; i < 20_000; i += 1) failures.note(parseIpAddress(`10.0.${i >> 8}.${i & 255}`));
  expect(failures.refusal(ATTACKER)).toBeNull();
});
