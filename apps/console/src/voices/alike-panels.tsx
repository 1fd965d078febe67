import { timeText } from '@app/domain/common/date-text';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, read, type Schema, refresh, useMay } from '../api/client';
import { Person, AccountName, VoiceName, UserText, Time } from '../components/inline';
import { ActionButton } from '../components/action-dialog';
import { Banner } from '../components/banner';
import { Loaded, Panel } from '../components/page';
import type { VoiceDetail } from './voice-query';

type Found = Schema['SameRecordingsResponse'];

/** Read again once a review has ended. */
const reviewOf = ({ generation, status }: VoiceDetail) => (status === 'completed' ? generation : 0);

export function SameRecordingsPanel({ voice: detail }: { voice: VoiceDetail }) {
  const { voice_id: voiceId, name } = detail.voice;
  const may = useMay();
  const key = ['same-recordings', voiceId, reviewOf(detail)];
  const query = useQuery(read(key, '/admin/voices/{voice_id}/same-recordings', voiceId));
  const listed = query.data?.no_go ?? null;
  const change = async (reason: string) => {
    await (listed
      ? api.DELETE('/admin/no-go-voices/{voice_id}', voiceId, { reason })
      : api.POST('/admin/voices/{voice_id}/no-go', voiceId, { reason }));
    await refresh(['same-recordings', voiceId]);
  };
  return (
    <Panel
      title="Same recording"
      actions={
        may('voices.review') && (
          <ActionButton
            label={listed ? 'Allow this recording again…' : 'Put this recording on the no-go list…'}
            size="xs"
            disabled={!query.data}
            title={listed ? 'Allow this recording again' : 'Put this recording on the no-go list'}
            of={name}
            consequence={
              listed
                ? 'Later voices with this recording are treated like any other. Voices that are held stay held.'
                : 'A later voice with this recording, however it is encoded, goes to the top of the review desk. It stays on the list when this voice is deleted.'
            }
            action={listed ? 'Allow again' : 'Put it on the no-go list'}
            onConfirm={change}
          />
        )
      }
    >
      <Loaded query={query}>{(found) => <FoundVoices found={found} />}</Loaded>
    </Panel>
  );
}

function FoundVoices({ found }: { found: Found }) {
  const { items, has_more: hasMore, no_go: blockedRecordings, no_go_matches: matches } = found;
  return (
    <Stack gap="sm">
      {blockedRecordings && (
        <Banner tone="warn" title={`On the no-go list since ${timeText(blockedRecordings.set_at)}.`}>
          <Person by={blockedRecordings.set_by} />: <UserText>{blockedRecordings.reason}</UserText>
        </Banner>
      )}
      {matches.map((match) => (
        <Banner key={match.voice_id} tone="bad" title="A recording of this voice is on the no-go list.">
          <UserText>{match.name}</UserText>: <UserText>{match.reason}</UserText>
        </Banner>
      ))}
      <AlikeVoices
        label="Voices with the same recording"
        none="No other voice has this recording."
        voices={items.map((item) => ({
          ...item,
          similarity: item.identical ? 'The same file' : `${(item.agreement * 100).toFixed(0)} % agree`,
        }))}
      />
      {items.length > 0 && (
        <div className="gr-dimmed">
          {hasMore && 'There are more. '}Copies agree by 65 % or more, unrelated recordings by half.
        </div>
      )}
    </Stack>
  );
}

export function SameSpeakerPanel({ voice }: { voice: VoiceDetail }) {
  const { voice_id: id } = voice.voice;
  const key = ['same-speaker', id, reviewOf(voice)];
  const query = useQuery(read(key, '/admin/voices/{voice_id}/same-speaker', id));
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
      <AlikeVoices
        label="Voices that sound like this one"
        none="No other voice sounds like this one."
        voices={items.map((item) => ({ ...item, similarity: item.cosine.toFixed(2) }))}
      />
      <div className="gr-dimmed">
        {hasMore && 'There are more. '}From {threshold} on (1 is the same), two recordings count as the same
        speaker. Heard by <bdi>{models.join(', ')}</bdi>.
      </div>
    </Stack>
  );
}

type AlikeVoice = Pick<Found['items'][number], 'voice_id' | 'name' | 'account' | 'created_at'> & {
  similarity: string;
};

function AlikeVoices({ label, none, voices }: { label: string; none: string; voices: AlikeVoice[] }) {
  if (voices.length === 0) return <div className="gr-dimmed">{none}</div>;
  return (
    <ul className="gr-evidence" aria-label={label}>
      {voices.map(({ voice_id: id, name, account, created_at: at, similarity }) => (
        <li key={id}>
          <VoiceName id={id} name={name} />
          <b>{similarity}</b>
          <div className="gr-dimmed gr-small">
            <AccountName account={account} />, <Time at={at} />
          </div>
        </li>
      ))}
    </ul>
  );
}
