import { DomainError } from '@app/domain/errors';
import { isStaffPath, toProblem } from './problem-json';
import { ValidationProblem, type WireProblem } from './wire-problem';

const request = { id: 'r-1', method: 'POST' };

function partOf(problem: Partial<WireProblem>) {
  const whole = {
    type: 'value_error',
    loc: ['body', 'name'],
    msg: 'Input should be short',
    input: 'x',
    ...problem,
  };
  return toProblem(new ValidationProblem([whole]), request).body.errors![0];
}

describe('toProblem', () => {
  it('is a problem document of RFC 9457, with a detail that is text', () => {
    const { status, headers, body } = toProblem(
      new DomainError('account_not_found', { account: 'x' }),
      request,
    );
    expect([status, headers]).toEqual([404, { 'content-type': 'application/problem+json; charset=utf-8' }]);
    expect(body).toEqual({
      type: 'urn:greenroom:problem:account_not_found',
      title: 'Account not found',
      status: 404,
      detail: "An account 'x' was not found.",
      code: 'account_not_found',
      request_id: 'r-1',
    });
  });

  it('says why a change has to be confirmed apart from how', () => {
    const refusal = new DomainError(
      'confirmation_required',
      { reasons: 'It is wide.' },
      { param: 'confirm' },
    );
    const { detail, reasons } = toProblem(refusal, request).body;
    expect([reasons, detail]).toEqual([
      'It is wide.',
      expect.stringMatching(/^It is wide\. Send it again with "confirm"/),
    ]);
  });

  it.each([
    [{ loc: ['body', 'allowed_ips', 2] }, { pointer: '#/allowed_ips/2' }],
    [{ loc: ['body', 'a/b~c d'] }, { pointer: '#/a~1b~0c%20d' }],
    [{ loc: ['body'] }, { pointer: '#' }],
    [{ loc: ['query', 'limit'] }, { parameter: 'limit' }],
    [{ ctx: { accepted: 'one of three' } }, { accepted: 'one of three' }],
    [{ msg: "Input should be 'a' or 'b'", ctx: { expected: "'a' or 'b'" } }, { accepted: "'a' or 'b'" }],
    [{ msg: 'String should have at most 3 characters' }, { accepted: 'at most 3 characters' }],
    [{ input: { deep: [1] } }, { given: { deep: [1] } }],
  ])('%j', (problem, expected) => {
    expect(partOf(problem)).toMatchObject(expected);
  });

  it.each(['password', 'current_password', 'code', 'client_secret'])('never sends %s back', (name) => {
    expect(partOf({ loc: ['body', name], input: 'hunter2' })).not.toHaveProperty('given');
  });

  it('shortens what was given', () => {
    expect(JSON.stringify(partOf({ input: 'x'.repeat(10_000) })).length).toBeLessThan(500);
  });
});

it.each([
  ['/admin', true],
  ['/admin/', true],
  ['/admin?x', true],
  ['/admin/keys', true],
  ['/administrator', false],
  ['/v1/admin', false],
])('%s is for staff: %s', (url, expected) => {
  expect(isStaffPath(url)).toBe(expected);
});
