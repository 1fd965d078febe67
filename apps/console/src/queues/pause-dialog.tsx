import { api, type Schema } from '../api/client';
import { assume, queryClient, refresh } from '../api/query-client';
import { ActionDialog } from '../components/action-dialog';
import { plural, humanize } from '../components/number';
import { overviewQuery } from './queue-queries';

/** Pauses a queue, or resumes it. */
export function PauseDialog({ queue, onClose }: { queue: Schema['QueueResponse']; onClose: () => void }) {
  const { name, paused, counts } = queue;
  const change = async (reason: string) => {
    await (paused
      ? api.POST('/admin/queues/{queue}/resume', name, { reason })
      : api.POST('/admin/queues/{queue}/pause', name, { reason }));
    await refresh(overviewQuery.queryKey);
  };
  const waiting = counts?.waiting ?? 0;
  return (
    <ActionDialog
      title={paused ? 'Resume the queue' : 'Pause the queue'}
      of={humanize(name)}
      consequence={
        paused
          ? `Workers start again at once; ${plural(waiting, 'job waits', 'jobs wait')}.`
          : 'Running jobs finish; no other job starts until the queue is resumed. New jobs wait. Customers wait for their reviews.'
      }
      action={paused ? 'Resume' : 'Pause'}
      danger={!paused}
      assume={() => {
        const { queues } = queryClient.getQueryData(overviewQuery.queryKey)!;
        return assume<Schema['OverviewResponse']>(overviewQuery.queryKey, {
          queues: queues.map((each) => (each.name === name ? { ...each, paused: !paused } : each)),
        });
      }}
      onConfirm={change}
      onClose={onClose}
    />
  );
}
