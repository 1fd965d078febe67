import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { ExplainProgramService } from './explain-program.service';
import { ExplainProgramBody, toExplainResponse, type ExplainResponse } from './explain.dto';

@Controller('admin/management-credentials/:credential_id/explain')
export class StaffExplainProgramController {
  constructor(private readonly explainService: ExplainProgramService) {}

  @Post() // Explain how a request with this management credential would end
  @HttpCode(200)
  @RequireStaff('management_credentials.read')
  async explain(
    @Param('credential_id') credentialId: string,
    @Body() { old_secret: oldSecret = false, ...query }: ExplainProgramBody,
  ): Promise<ExplainResponse> {
    return toExplainResponse(await this.explainService.explain({ ...query, credentialId, oldSecret }));
  }
}
