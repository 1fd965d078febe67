import { PENDING_REVIEW_STATES, type ReviewState } from '@app/domain/reviews/review-state';
import { queryOptions } from '@tanstack/react-query';
import { api, ifMatch, unwrap } from '../api/client';

/** How often a voice under review is read again. */
const FOLLOW_MS = 1_500;

const isPending = (state: ReviewState) => (PENDING_REVIEW_STATES as readonly ReviewState[]).includes(state);

const fetchVoice = (voiceId: string) =>
  unwrap(api.GET('/admin/voices/{voice_id}', { params: { path: { voice_id: voiceId } } }));

/** A voice with everything about it, as the client reads it. */
export type VoiceDetail = Awaited<ReturnType<typeof fetchVoice>>;

/** A change of what staff decide about a voice, from what this screen shows of it. */
export const curationTarget = ({ voice, curation_version: version }: VoiceDetail) => ({
  path: { voice_id: voice.voice_id },
  header: ifMatch({ version }),
});

export const voiceQuery = (voiceId: string) =>
  queryOptions({
    queryKey: ['voice', voiceId],
    queryFn: () => fetchVoice(voiceId),
    refetchInterval: ({ state }) => (state.data && isPending(state.data.status) ? FOLLOW_MS : false),
  });
