import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read, readPage, type Schema } from '../api/client';
import { VoiceName } from '../components/inline';
import { Banner } from '../components/banner';
import { Choice } from '../components/fields';
import { DownloadButton } from '../components/download-button';
import { FilterBar } from '../components/filter-bar';
import { toApiValues, type Filter } from '../components/list-filters';
import { asQuery, filtersOf, useListSearch } from '../components/list-search';
import { Empty, Loaded, PageHeader, Panel } from '../components/page';
import { formatNumber, plural, humanize } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { GradeBadge } from './voice-badge';
import { VOICE_FILTERS } from './voice-filters';

type Ruleset = Schema['ListedRuleset'];
type Comparison = Schema['ComparisonResponse'];

const PARAMETERS: readonly Filter[] = [
  ...VOICE_FILTERS,
  { name: 'from', label: 'These rules', kind: 'text' },
  { name: 'to', label: 'Compared with', kind: 'text' },
];

export default function RulesetsPage() {
  const query = useQuery(read(['rulesets'], '/admin/rulesets'));
  return (
    <>
      <PageHeader
        title="Compare rules"
        hint="How other rules would grade the measured recordings. Nothing changes."
      />
      <Loaded query={query}>{({ items }) => <RulesetChoice rulesets={items} />}</Loaded>
    </>
  );
}

function RulesetChoice({ rulesets }: { rulesets: Ruleset[] }) {
  const list = useListSearch(PARAMETERS);
  const { from: _from, to: _to, ...filters } = filtersOf(list.search);
  const noFilters = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
  const narrowing = { ...list, filters: VOICE_FILTERS, search: filters, clear: () => list.filter(noFilters) };
  const current = rulesets.find((each) => each.current) ?? rulesets[0]!;
  const from = list.search.from ?? current.id;
  const to = list.search.to ?? (rulesets.find(({ id }) => id !== from) ?? current).id;
  const query = useQuery(
    readPage(
      ['comparison', from, to, filters],
      '/admin/rulesets/compare',
      asQuery({ ...toApiValues(filters, VOICE_FILTERS), from, to }),
    ),
  );
  const data = rulesets.map(({ id, title, current: isCurrent }) => ({
    value: id,
    label: isCurrent ? `${title} (in force)` : title,
  }));
  const select = (label: string, name: 'from' | 'to', value: string) => (
    <Choice
      label={label}
      inputWrapperOrder={['label', 'input', 'description']}
      description={rulesets.find(({ id }) => id === value)?.summary}
      value={value}
      data={data}
      onPick={(value) => list.filter({ [name]: value })}
    />
  );
  return (
    <Stack>
      <Panel gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {select('These rules', 'from', from)}
          {select('Compared with', 'to', to)}
        </SimpleGrid>
        <FilterBar list={narrowing} />
      </Panel>
      <Loaded query={query}>{(comparison) => <Outcome comparison={comparison} />}</Loaded>
      <AppealsPanel rulesets={rulesets} />
      <AgreementPanel />
    </Stack>
  );
}

function AppealsPanel({ rulesets }: { rulesets: Ruleset[] }) {
  const appealed = rulesets.filter(({ appeals: { open, kept, changed } }) => open + kept + changed > 0);
  return (
    <Panel title="Appeals against each ruleset">
      <SimpleTable
        name="Appeals by ruleset"
        empty={['No verdict of any ruleset was appealed']}
        rows={appealed}
        columns={[
          { header: 'Ruleset', cell: ({ title }) => title },
          { header: 'Open', number: true, cell: ({ appeals }) => formatNumber(appeals.open) },
          { header: 'Grade kept', number: true, cell: ({ appeals }) => formatNumber(appeals.kept) },
          { header: 'Grade changed', number: true, cell: ({ appeals }) => formatNumber(appeals.changed) },
        ]}
      />
    </Panel>
  );
}

function Outcome({ comparison }: { comparison: Comparison }) {
  const { compared, changed, better, worse, table, examples } = comparison;
  const { overridden, unmeasured, partial } = comparison;
  const outcome = [
    `${formatNumber(better)} for the better`,
    `${formatNumber(worse)} for the worse`,
    overridden > 0 && `${plural(overridden, 'voice')} graded by a person left alone`,
    unmeasured > 0 && `${plural(unmeasured, 'voice')} without measurements left out`,
    partial && 'more voices match than can be compared at once: narrow them down',
  ];
  return (
    <Panel title="What would change" gap="md">
      <Banner tone={changed === 0 ? 'calm' : 'info'} title={comparison.summary}>
        {outcome.filter(Boolean).join(', ')}.
      </Banner>
      {table.length > 0 && (
        <SimpleTable
          name="Changes by grade"
          rows={table}
          rowId={({ from, to }) => `${from} ${to}`}
          columns={[
            { header: 'From', cell: ({ from }) => <GradeBadge grade={from} /> },
            { header: 'To', cell: ({ to }) => <GradeBadge grade={to} /> },
            { header: 'Voices', number: true, cell: ({ count }) => formatNumber(count) },
            {
              header: 'Share',
              number: true,
              cell: ({ count }) => `${((count / compared) * 100).toFixed(1)} %`,
            },
          ]}
        />
      )}
      {examples.length > 0 && (
        <div>
          <strong>
            {examples.length < changed ? `The first ${examples.length} of them` : 'All of them'}
          </strong>
          <Stack component="ul" gap="sm">
            {examples.map(({ voice_id, name, from, to }) => (
              <li key={voice_id}>
                <GradeBadge grade={from} /> to <GradeBadge grade={to} />{' '}
                <VoiceName id={voice_id} name={name} />
              </li>
            ))}
          </Stack>
        </div>
      )}
    </Panel>
  );
}

type Report = Schema['AgreementReportResponse'];
type Kind = 'people' | 'shown' | 'blind';
type Agreement = Report[Kind];

const KINDS: Record<Kind, string> = {
  people: 'Two people',
  shown: 'A person who saw the grade, and the rules',
  blind: 'A person who saw no grade, and the rules',
};

function AgreementPanel() {
  const query = useQuery(read(['review-agreement'], '/admin/review-agreement'));
  return (
    <Panel
      title="How far people agree"
      actions={
        <DownloadButton href="/admin/review-agreement/calibration-set" name="calibration-set.json">
          Export the calibration set
        </DownloadButton>
      }
    >
      <Loaded query={query}>{(report) => <Figures report={report} />}</Loaded>
    </Panel>
  );
}

function Figures({ report }: { report: Report }) {
  if (report.weeks.length === 0) return <Empty title="No person has graded a voice in the last 90 days" />;
  return (
    <Stack>
      <SimpleTable
        name="Agreement"
        rows={(Object.keys(KINDS) as Kind[]).map((kind) => ({ id: kind, ...report[kind] }))}
        columns={[
          { header: 'Who', cell: ({ id }) => KINDS[id] },
          { header: 'Pairs', number: true, cell: ({ pairs }) => formatNumber(pairs) },
          { header: 'Same grade', number: true, cell: ({ same, pairs }) => shareOf(same, pairs) },
          { header: 'Within one', number: true, cell: ({ within_one, pairs }) => shareOf(within_one, pairs) },
          { header: 'Weighted κ', number: true, cell: kappaOf },
        ]}
      />
      <Kappas by="week" of="Week" rows={report.weeks} labelOf={({ week }) => week} />
      <Kappas
        by="reason"
        of="Reason of the rules"
        rows={report.reasons}
        labelOf={({ code }) => humanize(code)}
      />
      <Kappas by="ruleset" of="Ruleset" rows={report.rulesets} labelOf={({ ruleset }) => ruleset} />
    </Stack>
  );
}

function Kappas<Row extends Record<Kind, Agreement>>(props: {
  by: string;
  of: string;
  rows: Row[];
  labelOf: (row: Row) => string;
}) {
  const { by, of, rows, labelOf } = props;
  const column = (header: string, kind: Kind) => ({
    header,
    number: true,
    cell: ({ [kind]: agreement }: Row) => (
      <>
        {kappaOf(agreement)} <span className="gr-dimmed">of {formatNumber(agreement.pairs)}</span>
      </>
    ),
  });
  return (
    <SimpleTable
      name={`κ by ${by}`}
      rows={rows}
      rowId={labelOf}
      columns={[
        { header: of, cell: labelOf },
        column('People', 'people'),
        column('With the rules, grade seen', 'shown'),
        column('With the rules, no grade seen', 'blind'),
      ]}
    />
  );
}

const kappaOf = ({ kappa }: Pick<Agreement, 'kappa'>) => (kappa === null ? 'not defined' : kappa.toFixed(2));

const shareOf = (part: number, pairs: number) => (pairs === 0 ? '' : `${Math.round((100 * part) / pairs)} %`);
