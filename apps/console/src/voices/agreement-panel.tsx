import { SimpleTable } from '../components/simple-table';
import { Stack } from '@mantine/core';
import { DownloadButton } from '../components/download-button';
import { useQuery } from '@tanstack/react-query';
import { read, type Schema } from '../api/client';
import { Empty, Loaded } from '../components/loading';
import { formatNumber, humanize } from '../components/number';
import { Panel } from '../components/page';

type Report = Schema['AgreementReportResponse'];
type Kind = 'people' | 'shown' | 'blind';
type Agreement = Report[Kind];

const KINDS: Record<Kind, string> = {
  people: 'Two people',
  shown: 'A person who saw the grade, and the rules',
  blind: 'A person who saw no grade, and the rules',
};

/** How far people agree with each other and with the rules, in the last 90 days. */
export function AgreementPanel() {
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
  const kinds = Object.keys(KINDS) as Kind[];
  return (
    <Stack>
      <SimpleTable
        name="Agreement"
        rows={kinds}
        rowId={(kind) => kind}
        columns={[
          { header: 'Who', cell: (kind) => KINDS[kind] },
          { header: 'Pairs', number: true, cell: (kind) => formatNumber(report[kind].pairs) },
          { header: 'Same grade', number: true, cell: (kind) => shareOf(report[kind].same, report[kind]) },
          {
            header: 'Within one',
            number: true,
            cell: (kind) => shareOf(report[kind].within_one, report[kind]),
          },
          { header: 'Weighted κ', number: true, cell: (kind) => kappaOf(report[kind]) },
        ]}
      />
      <Kappas
        name="κ by week"
        of="Week"
        rows={report.weeks.map(({ week, ...each }) => ({ label: week, ...each }))}
      />
      <Kappas
        name="κ by reason"
        of="Reason of the rules"
        rows={report.reasons.map(({ code, ...each }) => ({ label: humanize(code), ...each }))}
      />
      <Kappas
        name="κ by ruleset"
        of="Ruleset"
        rows={report.rulesets.map(({ ruleset, ...each }) => ({ label: ruleset, ...each }))}
      />
    </Stack>
  );
}

function Kappas({
  name,
  of,
  rows,
}: {
  name: string;
  of: string;
  rows: (Record<Kind, Agreement> & { label: string })[];
}) {
  return (
    <div className="gr-scroll">
      <table className="gr-table" aria-label={name}>
        <thead>
          <tr>
            <th>{of}</th>
            <th className="gr-number">People</th>
            <th className="gr-number">With the rules, grade seen</th>
            <th className="gr-number">With the rules, no grade seen</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, people, shown, blind }) => (
            <tr key={label}>
              <td>{label}</td>
              {[people, shown, blind].map((agreement, index) => (
                <td key={index} className="gr-number">
                  {kappaOf(agreement)} <span className="gr-dimmed">of {formatNumber(agreement.pairs)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function kappaOf({ kappa }: Agreement): string {
  return kappa === null ? 'not defined' : kappa.toFixed(2);
}

function shareOf(part: number, { pairs }: Agreement): string {
  return pairs === 0 ? '' : `${Math.round((100 * part) / pairs)} %`;
}
