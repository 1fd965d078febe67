import { Box, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../../../apps/console/src/components/action-dialog';
import {
  Answer,
  Empty,
  Loading,
  PageHeader,
  Panel,
  Split,
  Facts,
  Folded,
  Stats,
} from '../../../apps/console/src/components/page';
import { Banner, HandOver, ProblemBanner, ReceiptBanner } from '../../../apps/console/src/components/banner';
import { StatusBadge, type Tone, Name, Time, CopyableId } from '../../../apps/console/src/components/inline';
import { Chart } from '../../../apps/console/src/components/chart';
import { Choice } from '../../../apps/console/src/components/fields';
import { Tags } from '../../../apps/console/src/components/labels';
import { Lane, LaneAxis } from '../../../apps/console/src/components/lane';
import {
  Meter,
  numberOrZero,
  UsageBar,
  ProgressLine,
  ShareList,
} from '../../../apps/console/src/components/meter';
import { plural } from '../../../apps/console/src/components/number';
import { RowActions } from '../../../apps/console/src/components/row-actions';
import { SimpleTable } from '../../../apps/console/src/components/simple-table';
import { Sparkline } from '../../../apps/console/src/components/sparkline';
import { UndoNotice } from '../../../apps/console/src/components/undo-banner';
import { ListsAndDrawings, COUNTS, LONG, NAMES, NOW } from './lists-and-drawings';

const DAY = 86_400_000;
const TONES: Tone[] = ['good', 'warn', 'bad', 'calm', 'info'];
const MANY = Array.from({ length: 14 }, (_, day) => (day * 7) % 11);
const PLACES = MANY.map((_, day) => ({ tick: `${day + 1} Nov`, label: `${day + 1} Nov 2026` }));
const SERIES = [
  { id: 'served', name: 'served', tone: 'good' as const, values: MANY.map((each) => each * 400) },
  { id: 'refused', name: 'refused', tone: 'bad' as const, values: MANY.map((each) => each % 3) },
];

/** Each shared part of the screens once, with zero, one and many. */
export function Gallery() {
  const [role, setRole] = useState('support');
  const [isOpen, setOpen] = useState(false);
  const calendar = { from: NOW, days: 31 };
  const lane = (tone: 'good' | 'warn' | 'bad', days: number) => (
    <Lane
      calendar={calendar}
      endsAt={NOW + days * DAY}
      renewsAt={NOW + 20 * DAY}
      expiresAt={NOW + 9 * DAY}
      tone={tone}
      label={`${days} days`}
    />
  );
  return (
    <main id="main">
      <div className="gr-surface">
        <PageHeader title="Parts" hint="Every screen is made of these.">
          <Button variant="default" onClick={() => setOpen(true)}>
            Disable…
          </Button>
          <Button>
            Grant credits…<kbd aria-hidden>G</kbd>
          </Button>
        </PageHeader>
        <Stack>
          <Answer sentence="3 of your 9 customers run out before their credits renew.">
            Lumière Podcasts is first.
          </Answer>
          <Stats
            stats={TONES.slice(0, 4).map((tone, place) => ({
              label: `Figure ${place}`,
              value: numberOrZero(COUNTS[place % 3]!),
              note: 'One line of context',
              tone,
            }))}
          />
          <Split
            side={
              <>
                <Panel title="Facts">
                  <Facts facts={NAMES.map((name, place) => [`Name ${place}`, <Name>{name}</Name>])} />
                </Panel>
                <Panel title="Shares">
                  <ShareList
                    name="Shares"
                    rows={[0, 0.42, 0.86, 1].map((share) => ({
                      id: String(share),
                      name: <Name>{LONG}</Name>,
                      share,
                      pace: 0.5,
                      note: '412,000 of 450,000',
                    }))}
                  />
                </Panel>
              </>
            }
          >
            <Panel
              title="States"
              actions={<RowActions actions={{ look: { label: 'Look…', dialog: () => null } }} of="states" />}
            >
              <Group>
                {TONES.map((tone) => (
                  <StatusBadge key={tone} tone={tone}>
                    {tone}
                  </StatusBadge>
                ))}
              </Group>
            </Panel>
            <Panel title="Meters">
              {[0, 0.48, 0.62, 0.91, 0.97, 1].map((share) => (
                <Meter key={share} share={share} pace={0.5} label={`${share * 100} % used`} />
              ))}
              {COUNTS.map((used) => (
                <UsageBar key={used} used={used} limit={1_300_000} unit="credits" />
              ))}
              <UsageBar used={0} limit={0} unit="credits" />
            </Panel>
            <Box visibleFrom="sm">
              <Panel title="Calendar">
                <LaneAxis calendar={calendar} text={() => '6 Dec'} />
                {lane('good', 20)}
                {lane('warn', 9)}
                {lane('bad', 0)}
              </Panel>
            </Box>
            <Panel title="Courses">
              {[[], [3], MANY, MANY.map(() => 0)].map((values, place) => (
                <Sparkline key={place} values={values} label={plural(values.length, 'day')} />
              ))}
            </Panel>
          </Split>
          {[1, NAMES.length].map((count) => (
            <Panel key={count} title={plural(count, 'row')}>
              <SimpleTable
                name={plural(count, 'row')}
                rows={NAMES.slice(0, count)}
                rowId={(name) => name}
                columns={[
                  { header: 'Name', cell: (name) => <Name>{name}</Name> },
                  { header: 'Credits', number: true, cell: (name) => numberOrZero(name.length) },
                  { header: 'Since', number: true, cell: () => <Time at={new Date(NOW).toISOString()} /> },
                ]}
              />
            </Panel>
          ))}
          <ListsAndDrawings />
          <Panel title="Charts">
            <Chart
              label="Requests by day"
              summary="Bars."
              unit="requests"
              axis="Day"
              places={PLACES}
              series={SERIES}
            />
            <Chart
              label="Nothing by day"
              summary="None."
              unit="requests"
              axis="Day"
              places={PLACES}
              series={[]}
            />
            <Chart
              label="Waits by day"
              summary="Lines."
              unit="s"
              axis="Day"
              places={PLACES}
              series={SERIES}
              lines
            />
          </Panel>
          <Panel title="Notices" gap="md">
            {TONES.map((tone) => (
              <Banner key={tone} tone={tone} title="312 requests refused since 09:40.">
                <Name>{LONG}</Name> left the allow-list.
              </Banner>
            ))}
            <ReceiptBanner
              of={LONG}
              receipt={{ processes: 2, acknowledged: 1, ms: 12 } as never}
              forCustomer="It works again."
            >
              Disabled.
            </ReceiptBanner>
            <ProblemBanner error={new Error('The server cannot be reached.')} onRetry={() => undefined} />
            <HandOver permission="keys.write" to="change this key" />
            <UndoNotice
              change={{
                changed_by: 'ana@example.com',
                changed_at: new Date(NOW).toISOString(),
                due_at: new Date(Date.now() + DAY).toISOString(),
              }}
              what="changed the list"
              of={LONG}
              stays="The list stays"
              undoes="The list becomes what it was."
              queryKey={['gallery']}
              mayWrite
              onDecide={() => Promise.resolve()}
            />
          </Panel>
          <Panel title="Nothing, loading, in part">
            <Empty title="No key expires in 30 days">The next one is Nurse line, on 19 Dec.</Empty>
            <Loading />
            {COUNTS.map((done) => (
              <ProgressLine
                key={done}
                done={done}
                total={1_300_000}
                label="Keys"
              >{`${plural(done, 'key')} done`}</ProgressLine>
            ))}
            <Folded summary="Details">
              <p>More.</p>
            </Folded>
          </Panel>
          <Panel title="Fields">
            <TextInput
              label="Credit limit"
              defaultValue="50,00"
              error="A whole number of credits, such as 50,000"
            />
            <Choice label="Role" data={['support', 'ops']} value={role} onPick={setRole} />
            <Tags tags={['production', 'x'.repeat(64)]} to="/api-keys" />
            <CopyableId id={'a'.repeat(64)} what="the id" />
          </Panel>
        </Stack>
        {isOpen && (
          <ActionDialog
            title="Disable 3 keys"
            of={LONG}
            consequence="Requests with them are refused from now on."
            action="Disable 3 keys"
            danger
            onConfirm={() => Promise.resolve()}
            onClose={() => setOpen(false)}
          />
        )}
      </div>
    </main>
  );
}
