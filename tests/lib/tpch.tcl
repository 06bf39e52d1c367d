# tpch.tcl -- the tables and the 22 questions of TPC-H (a public benchmark of decision support),
# at a small scale, in the SQL of SQLite.  Data is made here, of the shapes that the benchmark
# describes: c has collections, t tables with the same indexes and ANALYZE.

set tpch_columns {
  region {r_regionkey KEY r_name TEXT}
  nation {n_nationkey KEY n_name TEXT n_regionkey INDEX}
  supplier {s_suppkey KEY s_name TEXT s_address TEXT s_nationkey INDEX s_phone TEXT s_acctbal REAL s_comment TEXT}
  customer {c_custkey KEY c_name TEXT c_address TEXT c_nationkey INDEX c_phone TEXT c_acctbal REAL c_mktsegment TEXT c_comment TEXT}
  part {p_partkey KEY p_name TEXT p_mfgr TEXT p_brand TEXT p_type TEXT p_size INTEGER p_container TEXT p_retailprice REAL}
  partsupp {ps_partkey KEY ps_suppkey KEY ps_availqty INTEGER ps_supplycost REAL}
  orders {o_orderkey KEY o_custkey INDEX o_orderstatus TEXT o_totalprice REAL o_orderdate DATE o_orderpriority TEXT o_shippriority INTEGER
    o_comment TEXT}
  lineitem {l_orderkey KEY l_linenumber KEY l_partkey INDEX l_suppkey INDEX l_quantity INTEGER l_extendedprice REAL l_discount REAL l_tax REAL
    l_returnflag TEXT l_linestatus TEXT l_shipdate DATE l_commitdate TEXT l_receiptdate TEXT l_shipinstruct TEXT l_shipmode TEXT}
}

set tpch_rows {
  CREATE TEMP TABLE i AS WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM s WHERE i<11999) SELECT i FROM s;
  CREATE TEMP TABLE w(k, i, z);
  INSERT INTO w VALUES ('region',0,'AFRICA'),('region',1,'AMERICA'),('region',2,'ASIA'),('region',3,'EUROPE'),('region',4,'MIDDLE EAST'),
    ('segment',0,'BUILDING'),('segment',1,'AUTOMOBILE'),('segment',2,'MACHINERY'),('segment',3,'HOUSEHOLD'),('segment',4,'FURNITURE'),
    ('color',0,'green'),('color',1,'forest'),('color',2,'blue'),('color',3,'red'),('color',4,'ivory'),('color',5,'lime'),
    ('metal',0,'BRASS'),('metal',1,'STEEL'),('metal',2,'COPPER'),('metal',3,'TIN'),
    ('size',0,'PROMO'),('size',1,'ECONOMY'),('size',2,'STANDARD'),('size',3,'MEDIUM'),
    ('mode',0,'MAIL'),('mode',1,'SHIP'),('mode',2,'AIR'),('mode',3,'AIR REG'),('mode',4,'RAIL'),('mode',5,'TRUCK'),
    ('priority',0,'1-URGENT'),('priority',1,'2-HIGH'),('priority',2,'3-MEDIUM'),('priority',3,'4-LOW'),('priority',4,'5-NONE'),
    ('nation',0,'ALGERIA'),('nation',1,'BRAZIL'),('nation',2,'CANADA'),('nation',3,'FRANCE'),('nation',4,'SAUDI ARABIA'),('nation',5,'GERMANY');
  INSERT INTO region SELECT i, z FROM w WHERE k = 'region';
  INSERT INTO nation SELECT i.i, ifnull(z, 'NATION '||i.i), CASE i.i WHEN 1 THEN 1 WHEN 3 THEN 3 WHEN 4 THEN 4 WHEN 5 THEN 3 ELSE i.i%5 END
    FROM i LEFT JOIN w ON k = 'nation' AND w.i = i.i WHERE i.i < 25;
  INSERT INTO supplier SELECT i+1, 'Supplier '||i, 'Street '||i, i*7%25, (10+i%25)||'-555-'||i, i*37%9999-999,
    iif(i%20=3, 'slow Customer then Complaints', 'fine') FROM i WHERE i < 100;
  INSERT INTO customer SELECT i.i+1, 'Customer '||i.i, 'Road '||i.i, i.i*11%25, (10+i.i%25)||'-777-'||i.i, i.i*53%9999-999, z, 'note '||i.i
    FROM i JOIN w ON k = 'segment' AND w.i = i.i%5 WHERE i.i < 1500;
  INSERT INTO part SELECT i.i+1, c.z||' part '||i.i, 'Maker#'||(1+i.i%5), 'Brand#'||(1+i.i%5)||(1+i.i%3), s.z||' ANODIZED '||m.z, 1+i.i*7%50,
    substr('SM LG MEDJUMWRAP', 1+i.i%5*3, 3)||substr('CASEBOX BAG PKG ', 1+i.i%4*4, 4), 900+i.i%200
    FROM i JOIN w c ON c.k = 'color' AND c.i = i.i%6 JOIN w s ON s.k = 'size' AND s.i = i.i/3%4 JOIN w m ON m.k = 'metal' AND m.i = i.i/2%4
    WHERE i.i < 2000;
  INSERT INTO partsupp SELECT 1+i/2, 1+(i/2*3+i%2*37)%100, i*13%9999, 1+i*17%1000 FROM i WHERE i < 4000;
  INSERT INTO orders SELECT i.i+1, 1+i.i*7%1000, substr('FOP', 1+i.i%3, 1), 1000+i.i*137%400000, date('1992-01-01', (i.i*29%2400)||' days'), z, 0,
    iif(i.i%50=7, 'special things and requests', 'plain') FROM i JOIN w ON k = 'priority' AND w.i = i.i%5 WHERE i.i < 3000;
  INSERT INTO lineitem SELECT 1+i.i/4, 1+i.i%4, 1+i.i*31%2000, 1+(i.i*31%2000*3+i.i%2*37)%100, 1+i.i*7%50, 900+i.i*41%9000, i.i%11/100.0, i.i%9/100.0,
    substr('RAN', 1+i.i%3, 1), substr('OF', 1+i.i%2, 1), date('1992-01-05', (i.i/4*29%2400+i.i%90)||' days'),
    date('1992-01-20', (i.i/4*29%2400+i.i%60)||' days'), date('1992-01-15', (i.i/4*29%2400+i.i%90)||' days'),
    substr('DELIVER IN PERSONTAKE BACK RETURN ', 1+i.i%2*17, 17), z FROM i JOIN w ON k = 'mode' AND w.i = i.i%6;
  DROP TABLE i; DROP TABLE w;
}

proc tpch_fill {} {
  open_kv c c.db
  open_kv t t.db
  foreach {name columns} $::tpch_columns {
    set collection {}
    set table {}
    set keys {}
    set indexes {}
    foreach {column type} $columns {
      switch $type {
        KEY { lappend collection "$column INTEGER KEY"; lappend table "$column INTEGER"; lappend keys $column }
        INDEX { lappend collection "$column INTEGER INDEX"; lappend table "$column INTEGER"; lappend indexes $column }
        DATE { lappend collection "$column TEXT INDEX"; lappend table "$column TEXT"; lappend indexes $column }
        default { lappend collection "$column $type"; lappend table "$column $type" }
      }
    }
    c eval "CREATE VIRTUAL TABLE temp.${name} USING kv_collection('\[\"$name\"\]', [join $collection ,])"
    t eval "CREATE TABLE ${name}([join $table ,], PRIMARY KEY([join $keys ,]))"
    foreach column $indexes { t eval "CREATE INDEX i_$column ON ${name}($column)" }
  }
  foreach h {c t} {
    $h eval BEGIN
    $h eval $::tpch_rows
    $h eval COMMIT
  }
  t eval ANALYZE
}

set tpch_queries {
  1 {SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), round(sum(l_extendedprice*(1-l_discount)), 2),
      round(avg(l_discount), 4), count(*) FROM lineitem WHERE l_shipdate <= '1998-09-02' GROUP BY 1, 2 ORDER BY 1, 2}
  2 {SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr FROM part, supplier, partsupp, nation, region
      WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS' AND s_nationkey = n_nationkey
        AND n_regionkey = r_regionkey AND r_name = 'EUROPE' AND ps_supplycost = (SELECT min(ps_supplycost) FROM partsupp, supplier, nation, region
          WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE')
      ORDER BY s_acctbal DESC, n_name, s_name, p_partkey LIMIT 100}
  3 {SELECT l_orderkey, round(sum(l_extendedprice*(1-l_discount)), 2) AS revenue, o_orderdate FROM customer, orders, lineitem
      WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15'
      GROUP BY l_orderkey, o_orderdate ORDER BY revenue DESC, o_orderdate, l_orderkey LIMIT 10}
  4 {SELECT o_orderpriority, count(*) FROM orders WHERE o_orderdate >= '1993-07-01' AND o_orderdate < '1993-10-01'
      AND EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY 1 ORDER BY 1}
  5 {SELECT n_name, round(sum(l_extendedprice*(1-l_discount)), 2) AS revenue FROM customer, orders, lineitem, supplier, nation, region
      WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey
        AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= '1994-01-01' AND o_orderdate < '1995-01-01' GROUP BY 1 ORDER BY 2 DESC, 1}
  6 {SELECT round(sum(l_extendedprice*l_discount), 2) FROM lineitem WHERE l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'
      AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24}
  7 {SELECT n1.n_name, n2.n_name, strftime('%Y', l_shipdate), round(sum(l_extendedprice*(1-l_discount)), 2)
      FROM supplier, lineitem, orders, customer, nation n1, nation n2 WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey
        AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
        AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))
        AND l_shipdate BETWEEN '1995-01-01' AND '1996-12-31' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3}
  8 {SELECT strftime('%Y', o_orderdate), round(sum(iif(n2.n_name = 'BRAZIL', l_extendedprice*(1-l_discount), 0))/sum(l_extendedprice*(1-l_discount)), 6)
      FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey
        AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA'
        AND s_nationkey = n2.n_nationkey AND o_orderdate BETWEEN '1995-01-01' AND '1996-12-31' AND p_type = 'ECONOMY ANODIZED STEEL' GROUP BY 1 ORDER BY 1}
  9 {SELECT n_name, strftime('%Y', o_orderdate), round(sum(l_extendedprice*(1-l_discount) - ps_supplycost*l_quantity), 2)
      FROM part, supplier, lineitem, partsupp, orders, nation WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey
        AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%' GROUP BY 1, 2 ORDER BY 1, 2 DESC}
  10 {SELECT c_custkey, c_name, round(sum(l_extendedprice*(1-l_discount)), 2) AS revenue, c_acctbal, n_name FROM customer, orders, lineitem, nation
      WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= '1993-10-01' AND o_orderdate < '1994-01-01' AND l_returnflag = 'R'
        AND c_nationkey = n_nationkey GROUP BY c_custkey, c_name, c_acctbal, n_name ORDER BY revenue DESC, c_custkey LIMIT 20}
  11 {SELECT ps_partkey, round(sum(ps_supplycost*ps_availqty), 2) AS v FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey
        AND s_nationkey = n_nationkey AND n_name = 'GERMANY' GROUP BY ps_partkey HAVING sum(ps_supplycost*ps_availqty) >
          (SELECT sum(ps_supplycost*ps_availqty)*0.01 FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey
           AND n_name = 'GERMANY') ORDER BY v DESC, ps_partkey}
  12 {SELECT l_shipmode, sum(o_orderpriority IN ('1-URGENT', '2-HIGH')), sum(o_orderpriority NOT IN ('1-URGENT', '2-HIGH')) FROM orders, lineitem
      WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
        AND l_receiptdate >= '1994-01-01' AND l_receiptdate < '1995-01-01' GROUP BY 1 ORDER BY 1}
  13 {SELECT n, count(*) FROM (SELECT c_custkey, count(o_orderkey) AS n FROM customer LEFT JOIN orders ON c_custkey = o_custkey
        AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) GROUP BY n ORDER BY 2 DESC, 1 DESC}
  14 {SELECT round(100.0*sum(iif(p_type LIKE 'PROMO%', l_extendedprice*(1-l_discount), 0))/sum(l_extendedprice*(1-l_discount)), 6) FROM lineitem, part
      WHERE l_partkey = p_partkey AND l_shipdate >= '1995-09-01' AND l_shipdate < '1995-10-01'}
  15 {WITH r(no, total) AS (SELECT l_suppkey, round(sum(l_extendedprice*(1-l_discount)), 2) FROM lineitem
        WHERE l_shipdate >= '1996-01-01' AND l_shipdate < '1996-04-01' GROUP BY l_suppkey)
      SELECT s_suppkey, s_name, total FROM supplier, r WHERE s_suppkey = no AND total = (SELECT max(total) FROM r) ORDER BY s_suppkey}
  16 {SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS n FROM partsupp, part WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#11'
        AND p_type NOT LIKE 'MEDIUM%' AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
        AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%Customer%Complaints%') GROUP BY 1, 2, 3 ORDER BY n DESC, 1, 2, 3}
  17 {SELECT round(sum(l_extendedprice)/7.0, 4) FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container LIKE 'MED%'
        AND l_quantity < (SELECT 0.9*avg(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)}
  18 {SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) FROM customer, orders, lineitem
      WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 140) AND c_custkey = o_custkey
        AND o_orderkey = l_orderkey GROUP BY 1, 2, 3, 4, 5 ORDER BY o_totalprice DESC, o_orderdate, o_orderkey LIMIT 100}
  19 {SELECT round(sum(l_extendedprice*(1-l_discount)), 2) FROM lineitem, part WHERE
      (p_partkey = l_partkey AND p_brand = 'Brand#12' AND l_quantity BETWEEN 1 AND 21 AND p_size BETWEEN 1 AND 15 AND l_shipmode IN ('AIR', 'AIR REG'))
      OR (p_partkey = l_partkey AND p_brand = 'Brand#23' AND l_quantity BETWEEN 10 AND 40 AND p_size BETWEEN 1 AND 30 AND l_shipmode IN ('AIR', 'AIR REG'))}
  20 {SELECT s_name, s_address FROM supplier, nation WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp
        WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%') AND ps_availqty > (SELECT 0.5*sum(l_quantity) FROM lineitem
          WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey AND l_shipdate >= '1994-01-01' AND l_shipdate < '1996-01-01'))
      AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name}
  21 {SELECT s_name, count(*) AS n FROM supplier, lineitem l1, orders, nation WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey
        AND o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate
        AND EXISTS (SELECT 1 FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
        AND NOT EXISTS (SELECT 1 FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
          AND l3.l_receiptdate > l3.l_commitdate AND l3.l_quantity > 45)
        AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA' GROUP BY s_name ORDER BY n DESC, s_name LIMIT 100}
  22 {SELECT cc, count(*), round(sum(c_acctbal), 2) FROM (SELECT substr(c_phone, 1, 2) AS cc, c_acctbal FROM customer
      WHERE substr(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal > (SELECT avg(c_acctbal) FROM customer
        WHERE c_acctbal > 0 AND substr(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17'))
      AND NOT EXISTS (SELECT 1 FROM orders WHERE o_custkey = c_custkey)) GROUP BY cc ORDER BY cc}
}
