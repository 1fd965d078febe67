import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Person, AccountName, UserText, Name, Time, CopyableId } from '../components/inline';
import { Breadcrumbs } from '../components/breadcrumbs';
import { Facts, Folded, Loaded, PageHeader, Split } from '../components/page';
import { Tags } from '../components/labels';
import { Banner, ReceiptBanner } from '../components/banner';
import { humanize } from '../components/number';
import { useOpened } from '../components/use-opened';
import { useMay, type FirstQueries, queryClient, refresh } from '../api/client';
import { AliasesPanel, DescriptionPanel } from './description-panel';
import { CommentsPanel } from './comments-panel';
import { HistoryPanel, JourneyPanel } from './history-panel';
import { ComparePanel } from './compare-panel';
import { ListenPanel } from './listen-panel';
import type { RequestedPlace } from './player';
import { SameRecordingsPanel, SameSpeakerPanel } from './alike-panels';
import {
  SamplesPanel,
  ForCustomerPanel,
  GradePanel,
  MeasurementsPanel,
  Progress,
  WhyPanel,
} from './grade-panel';
import { VoiceActions } from './voice-actions';
import { GradeBadge, StateBadge } from './voice-badge';
import { voiceQuery, type VoiceDetail } from './voice-query';
import './voices.css';

export const firstQueries: FirstQueries = ({ params: { voiceId = '' } }) => [voiceQuery(voiceId)];

export default function VoicePage() {
  const { voiceId = '' } = useParams({ strict: false });
  const query = useQuery(voiceQuery(voiceId));
  return <Loaded query={query}>{(voice) => <VoiceView key={voiceId} voice={voice} />}</Loaded>;
}

function VoiceView({ voice }: { voice: VoiceDetail }) {
  const may = useMay();
  const [done, setDone] = useState<string | null>(null);
  const [requested, setRequested] = useState<RequestedPlace | null>(null);
  const mayListen = may('voices.listen');
  const { voice_id: id, name, recording_quality: grade } = voice.voice;
  useOpened('Voice', name, `/voices/${id}`);
  const show = (text: string, saved: VoiceDetail) => {
    queryClient.setQueryData(['voice', id], saved);
    void refresh(['voices'], ['audit-log']);
    setDone(text);
  };
  return (
    <Stack>
      <PageHeader
        title={<Name>{name}</Name>}
        tabTitle={name}
        above={
          <Breadcrumbs>
            <Link to="/voices">Voices</Link>
            <AccountName account={voice.account} />
          </Breadcrumbs>
        }
        hint={
          <Group gap="xs">
            <StateBadge state={voice.status} />
            <GradeBadge grade={grade} />
            <Tags tags={voice.tags} to="/voices" />
          </Group>
        }
      >
        {may('voices.review') && <VoiceActions voice={voice} onDone={show} />}
      </PageHeader>
      <Progress voice={voice} />
      {voice.safety && (
        <Banner
          tone="bad"
          title={voice.safety.state === 'held' ? 'This voice is held.' : 'This voice was taken down.'}
        >
          {voice.safety.notice === null ? (
            'Customers can neither play it nor speak with it.'
          ) : (
            <UserText>{voice.safety.notice}</UserText>
          )}
        </Banner>
      )}
      {voice.appeal && <AppealBanner appeal={voice.appeal} />}
      {done !== null && <ReceiptBanner of={name}>{done}</ReceiptBanner>}
      <Split
        side={
          <>
            <GradePanel voice={voice} />
            <WhyPanel voice={voice} onReason={mayListen ? (code) => setRequested({ code }) : undefined} />
            <ForCustomerPanel voice={voice} />
            <DescriptionPanel voice={voice} />
            <AliasesPanel voice={voice} onDone={show} />
            <CommentsPanel voiceId={id} />
          </>
        }
      >
        {mayListen && <ListenPanel voice={voice} requested={requested} />}
        <SamplesPanel voice={voice} />
        <MeasurementsPanel verdict={voice.verdict} />
        <Folded summary="Other recordings: compare, same or alike, no-go list">
          {mayListen && <ComparePanel voice={voice} />}
          <SameRecordingsPanel voice={voice} />
          <SameSpeakerPanel voice={voice} />
        </Folded>
        <Folded summary="How the review went">
          <JourneyPanel voice={voice} />
          <HistoryPanel voice={voice} />
        </Folded>
        <Folded summary="What the customer’s programs read">
          <PublicFields voice={voice} />
        </Folded>
      </Split>
    </Stack>
  );
}

function AppealBanner({ appeal }: { appeal: NonNullable<VoiceDetail['appeal']> }) {
  const title = `${appeal.outcome === null ? 'The customer appeals' : 'The customer appealed'} against the grade “${appeal.appealed_grade}”.`;
  return (
    <Banner tone={appeal.outcome === null ? 'warn' : 'calm'} title={title}>
      <div>
        <UserText>{appeal.text}</UserText>
      </div>
      {appeal.outcome !== null && (
        <div>
          {humanize(appeal.outcome)} by <Person by={appeal.answered_by} />{' '}
          <Time at={appeal.answered_at} relative />: <UserText>{appeal.answer ?? ''}</UserText>
        </div>
      )}
    </Banner>
  );
}

function PublicFields({ voice: { voice, request_id } }: { voice: VoiceDetail }) {
  return (
    <Facts
      facts={[
        ...Object.entries(voice).map(([field, value]): [string, ReactNode] => [
          field,
          <FieldValue field={field} value={value} />,
        ]),
        ['Created by request', <CopyableId id={request_id} what="the request's id" />],
      ]}
    />
  );
}

function FieldValue({ field, value }: { field: string; value: unknown }) {
  if (field === 'voice_id') return <CopyableId id={String(value)} what="the voice's id" />;
  if (typeof value === 'string')
    return (
      <span style={{ display: 'block', overflow: 'hidden', overflowWrap: 'anywhere' }}>
        <UserText>{value}</UserText>
      </span>
    );
  return <span className="gr-mono">{JSON.stringify(value)}</span>;
}
