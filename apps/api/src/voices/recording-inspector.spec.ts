import { silentFlac } from '../../../../test/support/audio/containers';
import { loadConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { setTimeout as pause } from 'node:timers/promises';
import { RecordingInspector } from './recording-inspector';

const SECOND = silentFlac(1);
/** It is one block of silence. */
const DURATION_SECS = 65_535 / 48_000;

let inspector: RecordingInspector;

beforeEach(() => (inspector = new RecordingInspector(loadConfig({ FFMPEG_PATH: 'off' }))));
afterEach(() => inspector.onApplicationShutdown());

/** A caller of an account, and what makes it leave. */
function callerOf(accountId: string) {
  const gone = new AbortController();
  const caller = { key: { accountId } as VerifiableKey, signal: gone.signal } as Caller;
  return { caller, leave: () => gone.abort(new DomainError('client_gone')) };
}

const inspectSecond = (caller: Caller) =>
  inspector.takeTurn(caller, async (inspect) => (await inspect(async () => SECOND.slice())).durationSecs);

/** A form whose file holds its thread until its caller leaves. */
function holdThread(accountId: string) {
  const { caller, leave } = callerOf(accountId);
  let reads = 0;
  const ended = inspector.takeTurn(caller, (inspect) =>
    inspect(async () => {
      reads += 1;
      return new Promise<Uint8Array>(() => undefined);
    }),
  );
  return { leave, reads: () => reads, ended: ended.then(fail, (error: unknown) => error) };
}

const fail = () => new Error('The form was inspected.');

it('the forms of one account leave a thread to every other account', async () => {
  const forms = Array.from({ length: 8 }, () => holdThread('busy'));
  expect(await inspectSecond(callerOf('other').caller)).toBe(DURATION_SECS);
  expect(await inspectSecond(callerOf('another').caller)).toBe(DURATION_SECS);
  expect(forms.map(({ reads }) => reads())).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
  for (const { leave } of forms) leave();
  await Promise.all(forms.map(({ ended }) => ended));
});

it('a form whose caller leaves ends at once, running or waiting, and gives its turn to the next', async () => {
  const [running, waiting] = [holdThread('busy'), holdThread('busy')];
  const next = inspectSecond(callerOf('busy').caller);
  await pause(5);
  waiting.leave();
  expect(await waiting.ended).toMatchObject({ code: 'client_gone' });
  expect(waiting.reads()).toBe(0);
  running.leave();
  expect(await running.ended).toMatchObject({ code: 'client_gone' });
  expect(await next).toBe(DURATION_SECS);
});

it('a form that would wait too long is refused with the time to try again after', async () => {
  const accounts = [holdThread('first'), holdThread('second')];
  const third = holdThread('third');
  expect(await third.ended).toMatchObject({
    code: 'system_busy',
    options: { retryAfterSecs: expect.any(Number) as number },
  });
  expect(third.reads()).toBe(0);
  for (const { leave } of accounts) leave();
}, 40_000);

it('what a stopping process still inspects ends after five seconds as unavailable', async () => {
  const forms = [holdThread('first'), holdThread('second'), holdThread('second')];
  inspector.beforeApplicationShutdown();
  for (const { ended } of forms) expect(await ended).toMatchObject({ code: 'service_unavailable' });
}, 15_000);
