import { KeyImportService } from '@app/administration/keys/key-import.service';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { ImportKeysBody, toImportResponse, type KeyImportResponse } from './key-import.dto';

/** Keys of other systems, taken over with the secrets that customers have. */
@Controller('admin/accounts/:account_id/api-keys/import')
export class StaffKeyImportsController {
  constructor(private readonly imports: KeyImportService) {}

  /** Imports every key of a CSV, or none; a dry run says which lines would be refused. */
  @Post() // Import keys of another system
  @HttpCode(200)
  @RequireStaff('keys.write')
  async make(
    @Param('account_id') accountId: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() { csv, dry_run: dryRun = false }: ImportKeysBody,
  ): Promise<KeyImportResponse> {
    const outcome = await this.imports.import(actor, { accountId, csv, dryRun }, reason);
    return toImportResponse(outcome, dryRun);
  }
}
