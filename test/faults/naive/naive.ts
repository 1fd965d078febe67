import { freePort } from '../../support/redis-server';
import type { Machine } from '../machine';
import type { Subject, VoiceOutcome } from '../subject';
import { randomUUID } from 'node:crypto';

/** The control: a voice is saved, then its job is added to the queue, and the worker writes what it finds. */
export async function startNaive(
  machine: Machine,
  options: { workers: number; previews: number },
): Promise<Subject & { previewIds: string[] }> {
  const { dataSource } = machine;
  await dataSource.query(
    `DROP TABLE IF EXISTS naive_voice, naive_review;
     CREATE TABLE naive_voice (id uuid PRIMARY KEY, preview_id text UNIQUE, created_at timestamptz DEFAULT now());
     CREATE TABLE naive_review (voice_id uuid, at timestamptz DEFAULT now());
     GRANT SELECT, INSERT ON naive_voice, naive_review TO PUBLIC`,
  );
  const port = await freePort();
  const url = `http://${machine.apiHost}:${port}`;
  const names = Array.from({ length: options.workers }, (_, index) => `naive worker ${index + 1}`);
  const [api, workers] = await Promise.all([
    machine.startNode('naive api', 'naive/naive-node.cjs', { args: ['api'], port }),
    Promise.all(names.map((name) => machine.startNode(name, 'naive/naive-node.cjs', { args: ['worker'] }))),
  ]);
  return {
    api,
    workers,
    previewIds: Array.from({ length: options.previews }, () => randomUUID()),
    queue: machine.openQueue('naive-review'),
    url,
    create: async (previewId, timeoutMs) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(`${url}/${previewId}`, { method: 'POST', signal });
      return { status: response.status, voiceId: await response.text() };
    },
    // It has no relay: the moment to strike is any.
    isRelaying: async () => true,
    // It has nothing but the queue: what is lost there is not known to be missing.
    backlog: async () => 0,
    outcomes: () =>
      dataSource.query<VoiceOutcome[]>(
        `SELECT v.id AS "voiceId", v.created_at AS "createdAt", count(r.at)::int AS effects, max(r.at) AS "reviewedAt"
         FROM naive_voice v LEFT JOIN naive_review r ON r.voice_id = v.id GROUP BY v.id`,
      ),
  };
}
