import { DomainError } from './errors';

it('compares the parameters of a refusal with its text when it is compiled', () => {
  const refusals = [
    new DomainError('account_not_found', { account: 'x' }),
    // @ts-expect-error the text has {account}
    new DomainError('account_not_found', { accountId: 'x' }),
    // @ts-expect-error the text has {account}
    new DomainError('account_not_found'),
    // @ts-expect-error nothing in the text is filled
    new DomainError('console_not_built', { account: 'x' }),
    new DomainError('console_not_built', {}, { param: 'account_id' }),
    new DomainError('rate_limit_exceeded'),
    new DomainError('rate_limit_exceeded', { limit: ': one a day' }),
  ];
  expect(refusals.map(({ message }) => message)).toEqual([
    "An account 'x' was not found.",
    "An account '' was not found.",
    "An account '' was not found.",
    'The console has not been built. Run npm run build, and start again.',
    'The console has not been built. Run npm run build, and start again.',
    'Too many requests. Try again later.',
    'Too many requests: one a day. Try again later.',
  ]);
});
