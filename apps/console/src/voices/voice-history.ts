import type { AuditEvent } from '../audit-log/event-sentence';
import type { VoiceDetail } from './voice-query';

type Reviews = Pick<VoiceDetail, 'timeline' | 'attempts' | 'history'>;

/** Something that happened to a voice. */
export type HistoryEntry = { id: string; at: string } & (
  | { kind: 'step'; step: VoiceDetail['timeline'][number] }
  | { kind: 'attempt'; attempt: VoiceDetail['attempts'][number] }
  | { kind: 'verdict'; verdict: VoiceDetail['history'][number] }
  | { kind: 'event'; event: AuditEvent }
);

/** What the reviews and the audit log know of a voice as one list, newest first. */
export function historyOf({ timeline, attempts, history }: Reviews, events: AuditEvent[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [
    ...timeline.map((step) => ({
      kind: 'step' as const,
      id: `step ${step.generation} ${step.to} ${step.at}`,
      at: step.at,
      step,
    })),
    ...attempts.map((attempt) => ({
      kind: 'attempt' as const,
      id: `attempt ${attempt.generation} ${attempt.number}`,
      at: attempt.started_at,
      attempt,
    })),
    ...history.map((verdict) => ({
      kind: 'verdict' as const,
      id: `verdict ${verdict.generation} ${verdict.completed_at}`,
      at: verdict.completed_at,
      verdict,
    })),
    ...events.map((event) => ({ kind: 'event' as const, id: `event ${event.id}`, at: event.at, event })),
  ];
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}
