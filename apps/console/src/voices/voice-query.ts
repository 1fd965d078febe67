import { PENDING_REVIEW_STATES, type ReviewState } from '@app/domain/reviews/review-state';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client';

/** How often a voice under review is read again. */
const FOLLOW_MS = 1_500;

const isPending = (state: ReviewState) => (PENDING_REVIEW_STATES as readonly ReviewState[]).includes(state);

const fetchVoice = (voiceId: string) => api.GET('/admin/voices/{voice_id}', voiceId);

export type VoiceDetail = Awaited<ReturnType<typeof fetchVoice>>;

/** What a change of what staff decide about a voice is based on. */
export const curationOf = ({ curation_version: version }: VoiceDetail) => ({ version });

export const voiceQuery = (voiceId: string) =>
  queryOptions({
    queryKey: ['voice', voiceId],
    queryFn: () => fetchVoice(voiceId),
    refetchInterval: ({ state }) => (state.data && isPending(state.data.status) ? FOLLOW_MS : false),
  });
