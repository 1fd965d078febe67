import type { Agreement } from '@app/domain/reviews/agreement';
import { CheckedField } from '../http/fields';
import { checkWholeNumber } from '../http/query-checks';
import type { AgreementReport, Agreements } from './agreement.service';

export class AgreementQuery {
  /** How many days to look back. */
  @CheckedField(checkWholeNumber({ min: 7, max: 366 }), { optional: true })
  days: string = '90';
}

interface AgreementResponse {
  pairs: number;
  same: number;
  within_one: number;
  /** Weighted kappa with quadratic weights; null where it is not defined. */
  kappa: number | null;
}

interface AgreementsResponse {
  /** Two people, of whom the second did not see the grade of the first. */
  people: AgreementResponse;
  /** A person who saw the grade of the rules, and the rules. */
  shown: AgreementResponse;
  /** A person who saw no grade, and the rules. */
  blind: AgreementResponse;
}

export interface AgreementReportResponse extends AgreementsResponse {
  weeks: (AgreementsResponse & { week: string })[];
  reasons: (AgreementsResponse & { code: string })[];
  rulesets: (AgreementsResponse & { ruleset: string })[];
}

export function toAgreementReportResponse(report: AgreementReport): AgreementReportResponse {
  return {
    ...toAgreements(report),
    weeks: report.weeks.map((each) => ({ week: each.week, ...toAgreements(each) })),
    reasons: report.reasons.map((each) => ({ code: each.code, ...toAgreements(each) })),
    rulesets: report.rulesets.map((each) => ({ ruleset: each.ruleset, ...toAgreements(each) })),
  };
}

function toAgreements({ people, shown, blind }: Agreements): AgreementsResponse {
  return { people: toAgreement(people), shown: toAgreement(shown), blind: toAgreement(blind) };
}

function toAgreement({ pairs, same, withinOne, kappa }: Agreement): AgreementResponse {
  return { pairs, same, within_one: withinOne, kappa };
}
