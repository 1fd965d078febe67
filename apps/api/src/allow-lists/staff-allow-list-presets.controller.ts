import { AllowListPresets } from '@app/administration/allow-lists/allow-list-presets.service';
import { Controller, Get } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { toPresetResponse, type AllowListPresetsResponse } from './allow-list-preset.dto';

/** Blocks by a name, from the files of a configured folder. */
@Controller('admin/allow-list-presets')
export class StaffAllowListPresetsController {
  constructor(private readonly presets: AllowListPresets) {}

  @Get() // List the presets of allow-lists
  @RequireStaff('keys.read')
  async list(): Promise<AllowListPresetsResponse> {
    const [folder_problem, presets] = [await this.presets.findFolderProblem(), await this.presets.examine()];
    return { items: presets.map(toPresetResponse), folder_problem };
  }
}
