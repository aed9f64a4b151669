// Database: numbers of call shapes wrap around like those of origins. Separate, because it locks another table.
import { Migration } from '@mikro-orm/migrations';

export class Migration0040ShapeNumbers extends Migration {
  override up(): void {
    this.addSql(`
lock table access_shapes in access exclusive mode;
create sequence access_shapes_numbers as integer cycle;
select setval('access_shapes_numbers', last_value, is_called) from access_shapes_number_seq;
alter table access_shapes alter number drop identity;
alter table access_shapes alter number set default unused_number('access_shapes');
alter sequence access_shapes_numbers owned by access_shapes.number;`);
  }
}
