import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, read } from '../api/client';
import { KeyTrail } from '../components/breadcrumbs';
import { Empty, PageHeader, Split } from '../components/page';
import { toNumber } from '../components/fields';
import { Decision, Path, NextStep } from './explanation';
import { FoundPanel, OutcomePanel } from './found-panel';
import { RefusalsPanel } from './refusals-panel';
import { PastePanel, RequestForm, type RequestFields } from './request-form';

const REFUSALS_SHOWN = 5;

/** Why a request is let in or refused, gate by gate. What is explained stands in the address, so that a link shows it again. */
export default function ExplainPage() {
  const { keyId: ownKey } = useParams({ strict: false });
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const keyId = ownKey ?? search.key;
  const {
    find,
    request,
    key: _key,
    credential,
    ...fields
  } = search as Partial<RequestFields> & Record<'find' | 'key' | 'request', string> & { credential?: string };
  const { data: key, isPending } = useQuery({
    ...read(['api-key', keyId], '/admin/api-keys/{key_id}', keyId ?? ''),
    enabled: keyId !== undefined,
  });
  const { data: program, isPending: isProgramPending } = useQuery({
    ...read(
      ['management-credential', credential],
      '/admin/management-credentials/{credential_id}',
      credential ?? '',
    ),
    enabled: credential !== undefined,
  });
  // Where the key was used last is where the customer most likely is.
  const address = fields.address ?? key?.last_used_from ?? program?.last_used_address ?? undefined;
  const described = { ...(address && { address }), ...fields };
  const explanation = useExplanation({ keyId, credential }, described);
  const ids = key ? { KEY: key.id, ACCOUNT: key.account.id } : program && {};
  const isKnown = credential === undefined ? keyId && !isPending : !isProgramPending;
  const isChoosing = key !== undefined && !fields.path;
  return (
    <Stack>
      <PageHeader
        title="Explain a request"
        above={keyId && <KeyTrail keyId={keyId} />}
        hint="Uses the same rules as real requests. Nothing is charged or counted."
      />
      <Split
        alone={explanation.data === undefined && !isChoosing}
        side={
          <>
            <PastePanel
              onRead={(read) =>
                void navigate({ to: '/explain', search: { key: keyId, credential, ...read } as never })
              }
            />
            {find && <FoundPanel find={find} fields={fields} />}
            {isKnown && (
              <RequestForm
                key={credential ?? keyId}
                of={credential === undefined ? 'key' : 'program'}
                fields={described}
                explanation={explanation}
                onExplain={(next) =>
                  void navigate({
                    to: '.',
                    search: { key: search.key, credential, request, ...next } as never,
                  })
                }
              />
            )}
          </>
        }
      >
        {isChoosing && (
          <RefusalsPanel
            apiKey={key}
            most={REFUSALS_SHOWN}
            none={<Empty title="No request of this key was refused lately">Describe one in the form.</Empty>}
          />
        )}
        {explanation.data && (
          <Decision
            explanation={explanation.data}
            letIn={
              request === undefined
                ? 'Let in.'
                : `It would be let in now${fields.secret_number || fields.old_secret ? '' : ' with the newest secret'}${fields.method !== 'POST' || fields.cost ? '' : ', unless it costs more credits than are left'}.`
            }
            stepOf={(gate, isMinor) =>
              ids && <NextStep {...{ gate, isMinor, ids }} address={address ?? ''} />
            }
          />
        )}
        {request && <OutcomePanel requestId={request} />}
        {explanation.data && <Path explanation={explanation.data} />}
      </Split>
    </Stack>
  );
}

function useExplanation(
  { keyId, credential }: { keyId: string | undefined; credential: string | undefined },
  fields: Partial<RequestFields>,
) {
  const { address, method = 'GET', path, cost = '', secret_number = '', old_secret } = fields;
  return useQuery({
    queryKey: ['explain', credential ?? keyId, fields],
    queryFn: () => {
      const sent = { address: address ?? '', method: method as 'GET', path: path ?? '' };
      if (credential !== undefined)
        return api.POST('/admin/management-credentials/{credential_id}/explain', credential, {
          ...sent,
          ...(old_secret && { old_secret: true }),
        });
      const body = {
        ...sent,
        ...(cost !== '' && { cost: toNumber(cost) ?? 0 }),
        ...(secret_number !== '' && { secret_number: toNumber(secret_number) ?? 1 }),
      };
      return api.POST('/admin/api-keys/{key_id}/explain', keyId ?? '', body);
    },
    enabled: (credential ?? keyId) !== undefined && Boolean(address) && Boolean(path),
    staleTime: 0,
  });
}
