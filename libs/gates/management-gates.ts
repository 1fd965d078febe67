import { formatIpAddress } from '@app/domain/addresses/ip-address';
import { compileAllowList, matchAllowList } from '@app/domain/allow-lists/allow-list';
import type { ErrorCode } from '@app/domain/errors';
import {
  endOfManagement,
  isManageable,
  mayManage,
  type ManagementEnd,
  type ProvingParam,
} from '@app/domain/staff/management-grants';
import { mayStaff } from '@app/domain/staff/staff-permissions';
import { describeList } from './address-gate';
import {
  passes,
  refusal,
  refuses,
  type Change,
  type DescribedProgramUse,
  type Gate,
  type GateDecision,
  type ProgramCredentialUse,
  type ProgramRouteUse,
  type ProgramUse,
  type PureGate,
  type RouteRefusalCode,
} from './gate';
import { decideRequests, describeRequests, type LimitCode } from './limit-gates';
import { ROUTE } from './route-gate';

type Described = DescribedProgramUse;
/** What is known of a long response that is being sent. */
type StillUse = Pick<ProgramUse, 'program' | 'nowMs' | 'permission'>;

/** One refusal for all that is wrong with a credential, so that it gives nothing away, as for a key. */
type Invalid = 'invalid_management_credential';
const invalid = (reason: string) => refusal(reason, 'invalid_management_credential');

type ProgramRouteCode =
  | RouteRefusalCode
  | Extract<ErrorCode, 'invalid_authorization_header' | 'invalid_service_credential'>;

/** Whether the request is one under /admin. Our own server's router decides before any hook runs. */
export const PROGRAM_ROUTE: PureGate<'route', ProgramRouteUse, ProgramRouteCode, Described> = {
  name: 'route',
  decide(request) {
    const { refusal: code, isPublic } = request.target;
    if (code === 'staff_sign_in_required' || isPublic) return null;
    if (code === null) return refusal('for_keys', 'invalid_authorization_header');
    if (code === 'missing_service_credential') return refusal('for_services', 'invalid_service_credential');
    return ROUTE.decide(request);
  },
  async describe(request, stores) {
    const { method, path, target } = request;
    const served = `${method} ${path} is served by ${target.route?.slice(method.length + 1)}`;
    const refused = PROGRAM_ROUTE.decide(request);
    if (refused === null)
      return passes(target.isPublic ? `${served}, which needs no credential.` : `${served}.`);
    if (target.route === null) return ROUTE.describe(request as never, stores);
    return refuses(`${served}, which is not for programs of staff.`, refused.code, [
      'Management credentials open what is under /admin, and nothing else.',
      null,
    ]);
  },
};

const CREDENTIAL_REFUSALS = { malformed: invalid('malformed'), unknown: invalid('unknown') };

/** Whether the credential names a program. Explanations begin with the program, so for them it does. */
export const PROGRAM_CREDENTIAL: PureGate<'credential', ProgramCredentialUse, Invalid, Described> = {
  name: 'credential',
  decide: ({ credential }) => credential && CREDENTIAL_REFUSALS[credential],
  describe: ({ program: { retiresAt } }) =>
    passes(
      `The ${retiresAt === null ? 'newest secret' : 'secret before the newest'} of the credential is presented.`,
    ),
};

/** Whether the credential, its secret and its creator are in use. */
export const PROGRAM_STATE: PureGate<'state', StillUse, Invalid, Described> = {
  name: 'state',
  decide({ program, nowMs }) {
    const end = endOfManagement(program, nowMs);
    return end && invalid(end);
  },
  describe({ program, nowMs }) {
    const { expiresAt, retiresAt } = program;
    const end = endOfManagement(program, nowMs);
    if (end === null)
      return passes(
        `The credential is enabled until ${expiresAt.toISOString()}${retiresAt ? `, this secret until ${retiresAt.toISOString()}` : ''}, and its creator may sign in.`,
      );
    const rules: Record<ManagementEnd, string> = {
      disabled: 'The credential is disabled.',
      expired: `The credential ended at ${expiresAt.toISOString()}.`,
      secret_retired: `This secret stopped working at ${retiresAt?.toISOString()}.`,
      creator_disabled: 'The member of staff who created the credential may not sign in.',
    };
    return refuses(rules[end], 'invalid_management_credential', ENDS[end]);
  },
};

/** What would change the end of a credential. */
const ENDS: Record<ManagementEnd, Change> = {
  disabled: ['Create another credential: a disabled one stays disabled.', null],
  expired: ['Give the credential a later end.', 'edit_credential'],
  secret_retired: ['Use the newest secret: this one was replaced by a rotation.', null],
  creator_disabled: ['Create another credential, or enable its creator.', null],
};

/** Whether the allow-list of the credential has the address of the client. */
export const PROGRAM_ADDRESS: PureGate<
  'ip',
  Pick<ProgramUse, 'program' | 'address' | 'nowMs'>,
  Invalid,
  Described
> = {
  name: 'ip',
  decide({ program: { allowedIps }, address, nowMs }) {
    if (allowedIps.length === 0) return null;
    if (address === null) return invalid('address_unknown');
    return matchAllowList(compileAllowList(allowedIps), address, nowMs)
      ? null
      : invalid('address_not_listed');
  },
  describe(request) {
    const { program, address, nowMs } = request;
    if (program.allowedIps.length === 0)
      return passes(
        `The credential has no allow-list: ${address ? formatIpAddress(address) : 'every address'} may use it.`,
      );
    const entries = program.allowedIps.map((cidr) => ({ cidr, note: null, endsAt: null }));
    const rule = describeList(entries, 'credential', address, nowMs);
    const refused = PROGRAM_ADDRESS.decide(request);
    if (refused === null) return passes(rule);
    const change =
      address === null
        ? 'Have the proxies in front name the client in X-Forwarded-For.'
        : 'Add the address to those of the credential, or call from one that is among them.';
    return refuses(rule, refused.code, [change, address === null ? null : 'edit_credential']);
  },
};

const limited = ({ program: { id, requestsPerMinute } }: Pick<ProgramUse, 'program'>) => ({
  keyId: id,
  requestsPerMinute,
});

/** Requests per minute of the credential. Only requests that the gates before this one let in count. */
export const PROGRAM_REQUESTS: Gate<'limit', Pick<ProgramUse, 'program'>, LimitCode, Described> = {
  name: 'limit',
  decide: async (request, { requests }) =>
    decideRequests(await requests.take(limited(request)), 'management credential'),
  describe: async (request, { requests }) =>
    describeRequests(await requests.peek(limited(request)), 'credential', 'edit_credential'),
};

type PermissionCode = 'management_refused_for_people' | 'management_permission_missing';

/** Whether programs may do this at all, and both the credential and its creator may. */
export const PROGRAM_PERMISSION: PureGate<'scope', StillUse, PermissionCode, Described> = {
  name: 'scope',
  decide({ program, permission }) {
    if (permission === 'signed_in' || !isManageable(permission))
      return refusal('for_people', 'management_refused_for_people', {
        permission: permission === 'signed_in' ? 'a session' : permission,
      });
    if (mayManage(program, permission)) return null;
    return refusal('permission_missing', 'management_permission_missing', { name: program.name, permission });
  },
  describe(request) {
    const { program, permission } = request;
    const refused = PROGRAM_PERMISSION.decide(request);
    if (permission === 'signed_in' || refused?.code === 'management_refused_for_people')
      return refuses(
        `The operation needs ${permission === 'signed_in' ? 'a session' : `the permission ${permission}`}, which only people have.`,
        'management_refused_for_people',
        ['Nothing: a person has to do this.', null],
      );
    const rule = `The operation needs the permission ${permission}, which`;
    if (refused === null) return passes(`${rule} the credential and its creator have.`);
    if (mayStaff(program.role, permission))
      return refuses(`${rule} the credential does not have.`, refused.code, [
        'Give the credential the permission.',
        'edit_credential',
      ]);
    return refuses(`${rule} its creator does not have in the role ${program.role}.`, refused.code, [
      'Have a member who has the permission create the credential.',
      null,
    ]);
  },
};

/** What is outside the bounds of a credential is as if it did not exist: the code, and what the value is in its text. */
const NOT_FOUND = {
  account_id: ['account_not_found', 'account'],
  key_id: ['api_key_not_found', 'keyId'],
  voice_id: ['voice_not_found', 'voiceId'],
  approval_id: ['approval_not_found', 'approvalId'],
  change_id: ['bulk_change_not_found', 'changeId'],
} as const satisfies Record<ProvingParam, readonly [ErrorCode, string]>;

type AccountsCode = (typeof NOT_FOUND)[ProvingParam][0] | 'management_bound_to_accounts';

/** Whether the request stays within the accounts of the credential; an operation that names none is refused to a bounded one. */
export const ACCOUNTS: Gate<
  'accounts',
  Pick<ProgramUse, 'program' | 'proof' | 'named'>,
  AccountsCode,
  Described
> = {
  name: 'accounts',
  async decide({ program: { id, name, accounts }, proof, named }, { programs }) {
    if (accounts === 'all' || proof === 'narrowed') return null;
    if (proof === 'opens_account' && accounts === 'created') return null;
    if (proof === null || proof === 'opens_account')
      return refusal('names_no_account', 'management_bound_to_accounts', { name, accounts });
    if (await programs.isWithin(id, proof, named)) return null;
    return notFound(proof, named);
  },
  async describe(request, stores) {
    const { program, proof, named } = request;
    const { accounts, tag } = program;
    if (accounts === 'all') return passes('The credential may touch all accounts.');
    const bound = `The credential is bound to accounts (${accounts}${tag === null ? '' : `: ${tag}`})`;
    const refused = await ACCOUNTS.decide(request, stores);
    if (proof === 'narrowed') return passes(`${bound}; the list shows no others.`);
    if (proof === 'opens_account' && refused === null) return passes(`${bound}; this opens one more.`);
    if (refused === null) return passes(`${bound}, and the path names one of these.`);
    const rule = `${bound}, and ${refused.code === 'management_bound_to_accounts' ? 'the path names none' : `${named.slice(0, 100)} is not of these`}.`;
    return refuses(rule, refused.code, ['Let the credential touch more accounts.', 'edit_credential']);
  },
};

function notFound(proof: ProvingParam, named: string): GateDecision<AccountsCode> {
  const [code, name] = NOT_FOUND[proof];
  return { code, params: { [name]: named.slice(0, 100) }, reason: 'outside_bounds' };
}
