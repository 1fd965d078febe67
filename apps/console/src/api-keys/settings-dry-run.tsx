import { DRY_RUN_FIELDS, KEY_FIELDS } from '@app/domain/keys/key-fields';
import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, type Schema } from '../api/client';
import { Banner, ProblemBanner } from '../components/banner';
import { formatNumber, plural } from '../components/number';
import { Time } from '../components/inline';
import type { useKeyFields } from './key-inputs';

type DryRun = Schema['SettingsDryRunResponse'];

const RATES = ['requests_per_second', 'requests_per_minute', 'requests_per_day'] as const;
type RateName = (typeof RATES)[number];

const ROUTES_SHOWN = 5;

export function SettingsDryRun(props: { keyId: string; settings: ReturnType<typeof useKeyFields> }) {
  const { keyId } = props;
  const { body, setPermissions } = props.settings;
  const settings = Object.fromEntries(DRY_RUN_FIELDS.map((name) => [name, body[name]]));
  const tried = JSON.stringify(settings);
  const run = useMutation({
    mutationFn: async () => ({
      of: tried,
      result: await api.POST('/admin/api-keys/{key_id}/dry-run', keyId, settings),
    }),
  });
  const suggest = useMutation({
    mutationFn: () => api.POST('/admin/api-keys/{key_id}/permissions/suggest', keyId, {}),
    onSuccess: (suggestion) => setPermissions(suggestion.permissions.map(({ name }) => name)),
  });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          loading={suggest.isPending}
          onClick={() => suggest.mutate()}
        >
          Suggest permissions
        </Button>
        <Button size="compact-sm" variant="default" loading={run.isPending} onClick={() => run.mutate()}>
          Dry run
        </Button>
      </Group>
      <ProblemBanner error={suggest.error ?? run.error} />
      <div role="status" className="gr-dry-run">
        {suggest.data && <Suggested suggestion={suggest.data} />}
        {run.data?.of === tried && <Results dryRun={run.data.result} />}
      </div>
    </Stack>
  );
}

function Suggested({ suggestion }: { suggestion: Schema['PermissionSuggestionResponse'] }) {
  const { permissions, of, requests, days, undecided } = suggestion;
  if (requests === 0)
    return (
      <Banner tone="calm">
        The key sent no requests in {days} days: nothing shows which permissions it needs.
      </Banner>
    );
  return (
    <Banner tone="info">
      {`The key used ${permissions.length} of ${of} permissions for ${plural(requests, 'request')} in ${days} days. They are now selected.`}
      {undecided > 0 && ` What ${plural(undecided, 'request')} needed is not known.`}
    </Banner>
  );
}

function Results({ dryRun }: { dryRun: DryRun }) {
  const { permissions, credit_limit: credits, days } = dryRun;
  return (
    <Stack gap="xs">
      {permissions && <Permissions run={permissions} days={days} />}
      {credits && (
        <Banner tone={credits.would_stop > 0 ? 'bad' : 'good'}>
          {credits.would_stop > 0
            ? `The credit limit would have stopped the key on ${credits.would_stop} of ${days} days, ${formatNumber(credits.credits_beyond)} credits in all.`
            : `The credit limit would have stopped the key on none of ${days} days.`}
        </Banner>
      )}
      {RATES.map((name) => {
        const run = dryRun[name];
        return run && <Rate key={name} name={name} run={run} days={days} />;
      })}
    </Stack>
  );
}

function Permissions({ run, days }: { run: NonNullable<DryRun['permissions']>; days: number }) {
  const { requests, would_refuse: refused, would_refuse_routes: routes, undecided } = run;
  const more = routes.length - ROUTES_SHOWN;
  return (
    <Banner tone={refused > 0 ? 'bad' : 'good'}>
      {`The permissions would have refused ${formatNumber(refused)} of ${plural(requests, 'request')} in ${days} days.`}
      {refused > 0 && (
        <ul>
          {routes.slice(0, ROUTES_SHOWN).map(({ route, requests: calls, last_seen, permission }) => (
            <li key={route}>
              {plural(calls, 'call')} to <span className="gr-mono">{route}</span>, the last on{' '}
              <Time at={last_seen} dateOnly />: needs <span className="gr-mono">{permission}</span>
            </li>
          ))}
          {more > 0 && <li>and {plural(more, 'more route')}</li>}
        </ul>
      )}
      {undecided > 0 && ` What ${plural(undecided, 'request')} needed is not known.`}
    </Banner>
  );
}

function Rate({ name, run, days }: { name: RateName; run: NonNullable<DryRun[RateName]>; days: number }) {
  const what = KEY_FIELDS[name].label.toLowerCase();
  const { requests, would_refuse_at_least: refused, undecided } = run;
  const unsure =
    undecided > 0 &&
    ` Requests are recorded by hours: ${plural(undecided, 'request')} came in hours that may have had a ${KEY_FIELDS[name].dryRun} with too many.`;
  return (
    <Banner tone={refused > 0 ? 'bad' : undecided > 0 ? 'warn' : 'good'}>
      {refused > 0
        ? `The ${what} would have refused at least ${formatNumber(refused)} of ${plural(requests, 'request')} in ${days} days.`
        : `The ${what} are not known to have refused any of ${plural(requests, 'request')} in ${days} days.`}
      {unsure}
    </Banner>
  );
}
