import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { toServiceUnavailable } from './unavailable';

const withCode = (code: string) => Object.assign(new Error('of a driver'), { code });

it.each([
  ['a network error', withCode('ECONNREFUSED')],
  ['a server that is shutting down', withCode('57P01')],
  ['a deadlock', withCode('40P01')],
  ['a server that takes no writes', withCode('25006')],
  ['a server that accepts no connection', new Error('timeout expired')],
  ['a connection that was lost during a query', new Error('Connection terminated unexpectedly')],
  ['a connection that was lost before a query', new QueryRunnerAlreadyReleasedError()],
  [
    'a connection that was lost before a query of its entity manager',
    new QueryRunnerProviderAlreadyReleasedError(),
  ],
])('%s passes by itself: 503', (_, error) => {
  expect(toServiceUnavailable(error)).toMatchObject({
    code: 'service_unavailable',
    options: { cause: error },
  });
});

it.each([
  ['a broken constraint', withCode('23505')],
  ['a defect', new TypeError('x is undefined')],
  ['what is not an error', 'Connection terminated'],
])('%s does not', (_, error) => {
  expect(toServiceUnavailable(error)).toBeNull();
});
