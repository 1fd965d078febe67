import { Button, CloseButton, Group, Textarea, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, queryClient, refresh, useMay } from '../api/client';
import { useFields } from '../components/fields';
import { Loaded, Panel } from '../components/page';
import { UserText, Time } from '../components/inline';
import { ProblemBanner } from '../components/banner';

export function CommentsPanel({ voiceId }: { voiceId: string }) {
  const may = useMay();
  const fields = useFields({ text: '' });
  const text = fields.values.text.trim();
  const queryKey = ['voice-comments', voiceId];
  const query = useQuery({ queryKey, queryFn: () => api.GET('/admin/voices/{voice_id}/comments', voiceId) });
  const add = useMutation({
    mutationFn: () => api.POST('/admin/voices/{voice_id}/comments', voiceId, { text }),
    onSuccess: (saved) => {
      fields.set({ text: '' });
      queryClient.setQueryData(queryKey, saved);
    },
  });
  const remove = useMutation({
    mutationFn: (id: string) =>
      api.DELETE('/admin/voices/{voice_id}/comments/{comment_id}', { voice_id: voiceId, comment_id: id }),
    onSettled: () => refresh(queryKey),
  });
  return (
    <Panel title="Comments of staff" gap="sm">
      <Loaded query={query} empty={<span className="gr-dimmed">None yet.</span>}>
        {({ items }) => (
          <Stack component="ul" gap="sm" aria-label="Comments">
            {items.map((comment) => (
              <li key={comment.id}>
                <Group gap="xs" justify="space-between" wrap="nowrap">
                  <span style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
                    <UserText>{comment.text}</UserText>
                    <br />
                    <span className="gr-dimmed">
                      <bdi>{comment.written_by ?? 'A former member of staff'}</bdi>,{' '}
                      <Time at={comment.written_at} relative />
                    </span>
                  </span>
                  {comment.own && (
                    <CloseButton aria-label="Delete this comment" onClick={() => remove.mutate(comment.id)} />
                  )}
                </Group>
              </li>
            ))}
          </Stack>
        )}
      </Loaded>
      <ProblemBanner error={add.error ?? remove.error} />
      {may('voices.review') && (
        <>
          <Textarea
            label="Comment"
            description="Customers never see it."
            maxLength={2_000}
            {...fields.text('text')}
          />
          <Group>
            <Button
              variant="default"
              disabled={text === ''}
              loading={add.isPending}
              onClick={() => add.mutate()}
            >
              Add the comment
            </Button>
          </Group>
        </>
      )}
    </Panel>
  );
}
