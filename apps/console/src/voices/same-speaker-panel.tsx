import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read, type Schema } from '../api/client';
import { Loaded } from '../components/loading';
import { Banner } from '../components/banner';
import { Panel } from '../components/page';
import { AlikeVoicesList } from './alike-voices-list';
import type { VoiceDetail } from './voice-query';

const sameSpeakerQuery = (voiceId: string, generation: number) =>
  read(['same-speaker', voiceId, generation], '/admin/voices/{voice_id}/same-speaker', voiceId);

/** Other voices in which the same person seems to speak. */
export function SameSpeakerPanel({ voice: { voice, generation, status } }: { voice: VoiceDetail }) {
  const query = useQuery(sameSpeakerQuery(voice.voice_id, status === 'completed' ? generation : 0));
  // Without a model, there is nothing to compare by.
  if (query.isPending || query.data?.models.length === 0) return null;
  return (
    <Panel title="Sounds like">
      <Loaded query={query}>{(found) => <SoundAlikes found={found} />}</Loaded>
    </Panel>
  );
}

function SoundAlikes({ found }: { found: Schema['SameSpeakerResponse'] }) {
  const { items, has_more: hasMore, models, threshold, is_complete: isComplete } = found;
  return (
    <Stack gap="sm">
      {!isComplete && (
        <Banner tone="warn" title="Not every voice could be compared in time.">
          Voices of this account come first; others may be missing.
        </Banner>
      )}
      {items.length === 0 ? (
        <div className="gr-dimmed">No other voice sounds like this one.</div>
      ) : (
        <AlikeVoicesList
          label="Voices that sound like this one"
          voices={items.map((item) => ({ ...item, similarity: item.cosine.toFixed(2) }))}
        />
      )}
      <div className="gr-dimmed">
        {hasMore && 'There are more. '}From {threshold} on (1 is the same), two recordings count as the same
        speaker. Heard by <bdi>{models.join(', ')}</bdi>.
      </div>
    </Stack>
  );
}
