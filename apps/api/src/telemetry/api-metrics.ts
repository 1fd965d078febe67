import { KeyChangeListener } from '@app/auth/invalidation/key-change-listener';
import { KeyVerifier } from '@app/auth/key-verifier';
import { ServiceCredentialHook } from '@app/auth/service-credential.hook';
import { AppConfig } from '@app/config/app-config';
import { CreditLedger } from '@app/credits/credit-ledger';
import { ListReader } from '@app/database/list-reader';
import { GenerationSlots } from '@app/limits/generation-slots';
import { RequestLimiter } from '@app/limits/request-limiter';
import { OperationWatch } from '@app/operations/operation-watch';
import { Metrics } from '@app/telemetry/metrics';
import { describeBuild } from '@app/telemetry/build-info';
import { countPoolConnections } from '@app/telemetry/pool-connections';
import { shareMetrics } from '@app/telemetry/process-metrics';
import type { VoiceEngine } from '@app/voice-engine/voice-engine';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { getDataSourceToken } from '@nestjs/typeorm';
import cluster from 'node:cluster';
import type { DataSource } from 'typeorm';
import { TrafficRecorder } from '../observed-traffic/traffic-recorder';
import { GenerationService } from '../text-to-voice/generation.service';
import { TextToSpeechService } from '../text-to-speech/text-to-speech.service';
import { MetricsPort } from './metrics-port';
import { RequestCounts } from './request-counts';

/**
 * Serves `/metrics` on METRICS_PORT while the api listens; of several processes, the first serves those of all. Without that port, requests are not counted at all. Must run
 * before routes are registered.
 */
export function serveMetrics(app: NestFastifyApplication): RequestCounts['count'] | undefined {
  if (app.get(AppConfig).metricsPort === undefined) return undefined;
  const place = cluster.worker && { process: String(cluster.worker.id) };
  const metrics = new Metrics(place);
  describeBuild(metrics);
  const requests = new RequestCounts();
  describeRequests(metrics, requests, app);
  describeKeys(metrics, app);
  describeCredits(metrics, app);
  describeReplica(metrics, app);
  app.get(OperationWatch).describe(metrics);
  countPoolConnections(metrics, app.get<DataSource>(getDataSourceToken()));
  if (place) {
    shareMetrics(metrics);
    return requests.count;
  }
  const port = app.get(MetricsPort);
  port.serve(metrics);
  // Fastify takes no notice of what fails here; a separate process opens the port before it listens.
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onListen', async () => port.open());
  return requests.count;
}

function describeRequests(metrics: Metrics, requests: RequestCounts, app: NestFastifyApplication): void {
  const traffic = app.get(TrafficRecorder);
  const generations = app.get(GenerationService);
  const speeches = app.get(AppConfig).textToSpeech === 'on' ? app.get(TextToSpeechService) : null;
  metrics.counter('greenroom_http_requests_total', 'Responses by operation and status.', () =>
    requests.readResponses(),
  );
  metrics.histogram(
    'greenroom_http_request_duration_seconds',
    'Time from a request to its response, by operation.',
    () => requests.readSecs(),
  );
  metrics.counter(
    'greenroom_observed_traffic_dropped_total',
    'Requests missing in observed traffic, because they could not be stored in time.',
    () => [{ value: traffic.dropped }],
  );
  metrics.histogram(
    'greenroom_voice_engine_duration_seconds',
    'Time the voice engine took for three previews, waiting for its turn included.',
    () => [{ distribution: generations.engineSecs }],
  );
  const engine = app.get<VoiceEngine>(VOICE_ENGINE);
  metrics.gauge(
    'greenroom_voice_engine_wait_seconds',
    'How long one more design would wait for its turn.',
    () => [{ value: engine.waitSecs }],
  );
  metrics.counter(
    'greenroom_upstream_credits_total',
    'Credits that the service at VOICE_ENGINE_URL says it took (VOICE_ENGINE=elevenlabs).',
    () => [{ value: engine.costs?.total ?? 0 }],
  );
  const failures = () => generations.engineFailures + (speeches?.engineFailures ?? 0);
  metrics.counter(
    'greenroom_voice_engine_requests_total',
    'Requests to the voice engine that have ended: designs, and pieces of speech.',
    () => [{ value: generations.engineSecs.count + (speeches?.spokenPieces ?? 0) + failures() }],
  );
  metrics.counter(
    'greenroom_voice_engine_failures_total',
    'Of these, those that the engine failed at.',
    () => [{ value: failures() }],
  );
  metrics.counter(
    'greenroom_speech_uncharged_total',
    'Streams of speech that were sent, and whose charge failed until their credits were no longer held.',
    () => [{ value: speeches?.unchargedStreams ?? 0 }],
  );
}

function describeKeys(metrics: Metrics, app: NestFastifyApplication): void {
  const verifier = app.get(KeyVerifier);
  const caches = { keys: verifier.keys, services: app.get(ServiceCredentialHook).credentials };
  const listener = app.get(KeyChangeListener);
  const limits = { requests: app.get(RequestLimiter).calls, generations: app.get(GenerationSlots).calls };
  metrics.counter(
    'greenroom_key_verifications_total',
    'Decisions about keys: allowed, or the gate that refused.',
    () => Object.entries(verifier.outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  metrics.counter('greenroom_key_cache_hits_total', 'Credentials found in the cache of the process.', () =>
    Object.entries(caches).map(([cache, { hits }]) => ({ labels: { cache }, value: hits })),
  );
  metrics.counter('greenroom_key_cache_misses_total', 'Credentials read from PostgreSQL.', () =>
    Object.entries(caches).map(([cache, { misses }]) => ({ labels: { cache }, value: misses })),
  );
  metrics.gauge(
    'greenroom_key_changes_connected',
    '1 while the process receives key changes, 0 while it must read every key.',
    () => [{ value: listener.isListening ? 1 : 0 }],
  );
  metrics.counter(
    'greenroom_limit_unchecked_total',
    'Requests that only this process has counted, because the store of their limit was down.',
    () => Object.entries(limits).map(([limit, { unchecked }]) => ({ labels: { limit }, value: unchecked })),
  );
  metrics.counter(
    'greenroom_limit_late_total',
    'Requests refused because the store of their limit was late, or this process too busy to read its reply.',
    () => Object.entries(limits).map(([limit, { late }]) => ({ labels: { limit }, value: late })),
  );
  const slots = app.get(GenerationSlots);
  metrics.counter(
    'greenroom_generations_refused_total',
    'Generations refused because their account ran as many as it may.',
    () => [{ value: slots.refused }],
  );
}

/** Nothing without a replica, or while it does not respond. */
function describeReplica(metrics: Metrics, app: NestFastifyApplication): void {
  const lists = app.get(ListReader);
  metrics.gauge(
    'greenroom_replica_lag_seconds',
    'How far the replica that lists are read from is behind, NaN without one.',
    async () => [{ value: (await lists.getLagSecs()) ?? NaN }],
  );
}

function describeCredits(metrics: Metrics, app: NestFastifyApplication): void {
  const ledger = app.get(CreditLedger);
  metrics.histogram(
    'greenroom_ledger_flush_duration_seconds',
    'Time in which the database settled one batch of charges.',
    () => [{ distribution: ledger.flushSecs }],
  );
  metrics.histogram('greenroom_ledger_flush_charges', 'Charges in one batch.', () => [
    { distribution: ledger.flushSizes },
  ]);
  metrics.counter('greenroom_ledger_flush_failures_total', 'Batches that could not be settled.', () => [
    { value: ledger.failedFlushes },
  ]);
}
