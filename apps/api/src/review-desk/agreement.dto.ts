import type { Agreement } from '@app/domain/reviews/agreement';
import { CheckedField } from '../http/fields';
import { checkWholeNumber } from '../http/query-checks';
import type { AgreementReport, Agreements } from './agreement.service';

export class AgreementQuery {
  /** How many days to look back. */
  @CheckedField(checkWholeNumber({ min: 7, max: 366 }), { optional: true })
  days: string = '90';
}

export interface AgreementReportResponse extends ReturnType<typeof toAgreementReportResponse> {}

export function toAgreementReportResponse(report: AgreementReport) {
  return {
    ...toAgreements(report),
    weeks: report.weeks.map((each) => ({ week: each.week, ...toAgreements(each) })),
    reasons: report.reasons.map((each) => ({ code: each.code, ...toAgreements(each) })),
    rulesets: report.rulesets.map((each) => ({ ruleset: each.ruleset, ...toAgreements(each) })),
  };
}

export interface AgreementsResponse extends ReturnType<typeof toAgreements> {}

function toAgreements({ people, shown, blind }: Agreements) {
  return {
    /** Two people, of whom the second did not see the grade of the first. */
    people: toAgreement(people),
    /** A person who saw the grade of the rules, and the rules. */
    shown: toAgreement(shown),
    /** A person who saw no grade, and the rules. */
    blind: toAgreement(blind),
  };
}

export interface AgreementResponse extends ReturnType<typeof toAgreement> {}

function toAgreement({ pairs, same, withinOne, kappa }: Agreement) {
  return {
    pairs,
    same,
    within_one: withinOne,
    /** Weighted kappa with quadratic weights; null where it is not defined. */
    kappa,
  };
}
