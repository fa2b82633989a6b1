-- create table not_me (x int);
CREATE TABLE IF NOT EXISTS shop.orders (
  id integer PRIMARY KEY
);
create unique index orders_by_day on shop.orders (day);
CREATE OR REPLACE FUNCTION total(x int) RETURNS int AS $body$
CREATE TABLE nor_me (y int);
$body$ LANGUAGE sql;
INSERT INTO notes VALUES ('
create view nope as select 1;
');
CREATE VIEW recent AS SELECT 1;
