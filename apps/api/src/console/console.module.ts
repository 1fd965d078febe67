import { Module } from '@nestjs/common';
import { ConsoleFiles } from './console-files';
import { ConsoleService } from './console.service';
import { PublicConsoleController } from './public-console.controller';

/** The web console's built files. */
@Module({
  controllers: [PublicConsoleController],
  providers: [ConsoleFiles, ConsoleService],
})
export class ConsoleModule {}
