import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/client';
import { Name } from '../components/name';
import { Banner } from '../components/banner';
import { formatNumber, plural } from '../components/number';
import { ProblemBanner } from '../components/problem-banner';
import type { ListName } from './screening-lists';

interface TriedEntry {
  list: ListName | 'profanity';
  text?: string;
  account_id?: string | null;
}

/** Which of the stored voices an entry would have met. */
export function DryRun({ entry }: { entry: TriedEntry }) {
  const run = useMutation({
    mutationFn: () => api.POST('/admin/screening/dry-run', {}, { ...entry, text: entry.text ?? '' }),
  });
  const tried = run.data;
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        style={{ alignSelf: 'start' }}
        loading={run.isPending}
        disabled={entry.list !== 'profanity' && !entry.text}
        onClick={() => run.mutate()}
      >
        Try it on the stored voices
      </Button>
      <ProblemBanner error={run.error} />
      {tried && (
        <Banner
          tone={tried.hits === 0 ? 'good' : 'warn'}
          title={`It would have matched ${formatNumber(tried.hits)} of ${plural(tried.checked, 'voice')}.`}
        >
          {tried.partial && <div>Not every voice was checked: there are too many.</div>}
          {tried.voices.length > 0 && (
            <ul className="gr-attention" aria-label="Voices that it would have matched">
              {tried.voices.map(({ voice_id, name, field }) => (
                <li key={voice_id}>
                  <Link to="/voices/$voiceId" params={{ voiceId: voice_id }} target="_blank">
                    <Name>{name}</Name>
                  </Link>{' '}
                  <span className="gr-dimmed">in its {field}</span>
                </li>
              ))}
            </ul>
          )}
          {tried.voices.length < tried.hits && <div>The first {tried.voices.length} of them.</div>}
        </Banner>
      )}
    </Stack>
  );
}
