import { OPERATION_CHECKS } from '@app/operations/operation-checks';
import { OperationWatch } from '@app/operations/operation-watch';
import { Controller, Get } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { toOperationCheckResponse, type OperationCheckResponse } from './staff-check.dto';

@Controller('admin/checks')
export class StaffChecksController {
  constructor(private readonly operation: OperationWatch) {}

  /** What can go wrong while an installation runs, as this process sees it: the rows that `greenroom doctor` and the metrics read as well. */
  @Get() // List what the checks of the operation say
  @RequireStaff('checks.read')
  async list(): Promise<{ items: OperationCheckResponse[] }> {
    const report = await this.operation.read();
    return { items: report.map((row) => toOperationCheckResponse(row, OPERATION_CHECKS[row.check]!)) };
  }
}
