// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {ISwapRouter, PrizePool} from "../src/PrizePool.sol";
import {TestStock} from "../src/local/TestStock.sol";
import {CallbackToken} from "./CallbackToken.sol";

/// Sells a token for one wei each and refunds the rest, or reverts while it is down.
contract OneWeiRouter {
    IERC20 immutable STOCK;
    bool public isDown;

    constructor(IERC20 stock) {
        STOCK = stock;
    }

    function setDown(bool isDown_) external {
        isDown = isDown_;
    }

    function swapETHForExactTokens(uint256 amount, address[] calldata, address to, uint256 deadline)
        external
        payable
        returns (uint256[] memory amounts)
    {
        require(!isDown && block.timestamp <= deadline && msg.value >= amount, "router");
        assert(STOCK.transfer(to, amount));
        (bool isBack,) = msg.sender.call{value: msg.value - amount}("");
        assert(isBack);
        return amounts;
    }
}

/// Loses some units of each transfer, like tokens that take fees or whose balances are rounded shares.
contract LossyToken is ERC20("Lossy", "LSS") {
    uint256 private loss;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setLoss(uint256 loss_) external {
        loss = loss_;
    }

    function _update(address from, address to, uint256 amount) internal override {
        uint256 lost = from == address(0) ? 0 : loss;
        if (lost > 0) super._update(from, address(0xdead), lost);
        super._update(from, to, amount - lost);
    }
}

/// Refuses every transfer.
contract Unwilling {
    receive() external payable {
        revert("no");
    }
}

contract PrizePoolTest is Test {
    address internal owner = makeAddr("owner");
    address internal payer = makeAddr("payer");
    address payable internal winner = payable(makeAddr("winner"));
    bytes32 internal constant ID = keccak256("prize");

    TestStock internal stock;
    OneWeiRouter internal router;
    PrizePool internal pool;
    address[] internal route;

    function setUp() public {
        stock = new TestStock("Stock", "STK", address(this));
        router = new OneWeiRouter(stock);
        stock.mint(address(router), 1000 ether);
        pool = new PrizePool(owner, payer, ISwapRouter(address(router)));
        stock.mint(address(pool), 100 ether);
        vm.deal(address(pool), 10 ether);
        route = [makeAddr("weth"), address(stock)];
    }

    function test_accepts_plain_transfers() public {
        vm.deal(address(this), 1 ether);
        vm.expectEmit(address(pool));
        emit PrizePool.Received(address(this), 1 ether);
        payable(pool).transfer(1 ether);
    }

    function testFuzz_pays_each_prize_once_in_the_native_coin(uint256 amount) public {
        amount = bound(amount, 0, 5 ether);
        vm.startPrank(payer);
        vm.expectEmit(address(pool));
        emit PrizePool.Paid(ID, winner, address(0), amount);
        pool.payNative(ID, winner, amount);
        assertEq(winner.balance, amount);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.AlreadyPaid.selector, ID));
        pool.payNative(ID, winner, amount);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.AlreadyPaid.selector, ID));
        pool.payToken(ID, stock, winner, 1);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.AlreadyPaid.selector, ID));
        pool.paySwap(ID, route, winner, 1, 1, block.timestamp);
        assertEq(winner.balance, amount);
    }

    function test_pays_tokens_that_it_holds() public {
        vm.prank(payer);
        pool.payToken(ID, stock, winner, 7 ether);
        assertEq(stock.balanceOf(winner), 7 ether);
        assertTrue(pool.isPaid(ID));
    }

    function test_buys_tokens_for_the_winner_and_keeps_the_rest() public {
        vm.prank(payer);
        vm.expectEmit(address(pool));
        emit PrizePool.Paid(ID, winner, address(stock), 3 ether);
        pool.paySwap(ID, route, winner, 3 ether, 5 ether, block.timestamp);
        assertEq(stock.balanceOf(winner), 3 ether);
        assertEq(address(pool).balance, 7 ether);
        assertEq(stock.balanceOf(address(pool)), 100 ether);
    }

    function test_buys_what_it_can_afford_although_its_bound_is_above_all_that_it_has() public {
        vm.prank(payer);
        pool.paySwap(ID, route, winner, 9 ether, 11 ether, block.timestamp);
        assertEq(stock.balanceOf(winner), 9 ether);
        assertEq(address(pool).balance, 1 ether);
    }

    function test_an_unpayable_prize_stays_owed() public {
        router.setDown(true);
        vm.startPrank(payer);
        vm.expectRevert("router");
        pool.paySwap(ID, route, winner, 3 ether, 5 ether, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.NotPaid.selector, 11 ether));
        pool.payNative(ID, winner, 11 ether);
        vm.expectRevert();
        pool.payToken(ID, stock, winner, 101 ether);
        assertFalse(pool.isPaid(ID));
        router.setDown(false);
        pool.paySwap(ID, route, winner, 3 ether, 5 ether, block.timestamp);
        assertTrue(pool.isPaid(ID));
    }

    function test_a_prize_stays_owed_if_more_than_a_millionth_of_it_is_lost() public {
        LossyToken lossy = new LossyToken();
        OneWeiRouter lossyRouter = new OneWeiRouter(lossy);
        pool = new PrizePool(owner, payer, ISwapRouter(address(lossyRouter)));
        vm.deal(address(pool), 10 ether);
        lossy.mint(address(lossyRouter), 100 ether);
        lossy.mint(address(pool), 100 ether);
        route[1] = address(lossy);
        lossy.setLoss(3e12 + 1);
        vm.startPrank(payer);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.NotPaid.selector, 3 ether));
        pool.paySwap(ID, route, winner, 3 ether, 5 ether, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.NotPaid.selector, 3 ether));
        pool.payToken(ID, lossy, winner, 3 ether);
        assertFalse(pool.isPaid(ID));
        assertEq(lossy.balanceOf(winner), 0);
        lossy.setLoss(3e12);
        pool.paySwap(ID, route, winner, 3 ether, 5 ether, block.timestamp);
        pool.payToken(keccak256("another"), lossy, winner, 3 ether);
        assertEq(lossy.balanceOf(winner), 6 ether - 6e12);
    }

    function test_all_of_a_small_prize_must_arrive() public {
        LossyToken lossy = new LossyToken();
        lossy.setLoss(1);
        lossy.mint(address(pool), 100 ether);
        vm.prank(payer);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.NotPaid.selector, 2));
        pool.payToken(ID, lossy, winner, 2);
    }

    /// Replaces the pool with one whose token is also its owner and payer, so that only the reentrancy guard can
    /// refuse the token's calls.
    function poolOfCallbackToken() private returns (CallbackToken token) {
        token = new CallbackToken();
        router = new OneWeiRouter(token);
        pool = new PrizePool(address(token), address(token), ISwapRouter(address(router)));
        vm.deal(address(pool), 10 ether);
        token.mint(address(router), 100 ether);
        token.mint(address(pool), 100 ether);
        route[1] = address(token);
    }

    /// Returns a call of each function that pays or withdraws. The first sends no tokens.
    function callsThatSend(bytes32 id) private view returns (bytes[4] memory) {
        return [
            abi.encodeCall(PrizePool.payNative, (id, winner, 1)),
            abi.encodeCall(PrizePool.payToken, (id, IERC20(route[1]), winner, 1)),
            abi.encodeCall(PrizePool.paySwap, (id, route, winner, 1, 1, block.timestamp)),
            abi.encodeCall(PrizePool.withdraw, (route[1], winner, 1))
        ];
    }

    function test_no_payment_or_withdrawal_can_start_during_another() public {
        CallbackToken token = poolOfCallbackToken();
        for (uint256 i = 1; i < 4; i++) {
            for (uint256 j = 0; j < 4; j++) {
                token.callOnTransfer(address(pool), callsThatSend("during")[j]);
                vm.prank(address(token));
                (bool isDone,) = address(pool).call(callsThatSend(keccak256(abi.encode(i, j)))[i]);
                assertTrue(isDone);
                assertEq(token.answer(), abi.encodePacked(ReentrancyGuard.ReentrancyGuardReentrantCall.selector));
            }
        }
    }

    function test_a_prize_counts_as_paid_while_it_is_being_sent() public {
        CallbackToken token = poolOfCallbackToken();
        for (uint256 i = 1; i < 3; i++) {
            bytes32 id = bytes32(i);
            token.callOnTransfer(address(pool), abi.encodeCall(pool.isPaid, (id)));
            vm.prank(address(token));
            (bool isDone,) = address(pool).call(callsThatSend(id)[i]);
            assertTrue(isDone);
            assertEq(token.answer(), abi.encode(true));
        }
    }

    function test_a_prize_for_the_pool_itself_is_bought_and_not_taken_from_its_own_tokens() public {
        vm.startPrank(payer);
        vm.expectRevert(abi.encodeWithSelector(PrizePool.NotPaid.selector, 3 ether));
        pool.payToken(ID, stock, address(pool), 3 ether);
        pool.paySwap(ID, route, address(pool), 3 ether, 5 ether, block.timestamp);
        assertEq(stock.balanceOf(address(pool)), 103 ether);
    }

    function test_a_swap_above_its_bound_or_past_its_deadline_is_refused() public {
        vm.startPrank(payer);
        vm.expectRevert("router");
        pool.paySwap(ID, route, winner, 3 ether, 2 ether, block.timestamp);
        vm.expectRevert("router");
        pool.paySwap(ID, route, winner, 3 ether, 5 ether, block.timestamp - 1);
    }

    function test_only_the_payer_pays() public {
        for (uint256 i = 0; i < 2; i++) {
            vm.startPrank(i == 0 ? owner : winner);
            vm.expectRevert(PrizePool.NotPayer.selector);
            pool.payNative(ID, winner, 1);
            vm.expectRevert(PrizePool.NotPayer.selector);
            pool.payToken(ID, stock, winner, 1);
            vm.expectRevert(PrizePool.NotPayer.selector);
            pool.paySwap(ID, route, winner, 1, 1, block.timestamp);
            vm.stopPrank();
        }
    }

    function test_the_winners_own_code_does_not_run() public {
        Unwilling unwilling = new Unwilling();
        vm.prank(payer);
        pool.payNative(ID, payable(address(unwilling)), 1 ether);
        assertEq(address(unwilling).balance, 1 ether);
        assertEq(address(pool).balance, 9 ether);
    }

    function test_only_the_owner_withdraws_and_replaces_the_payer() public {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this)));
        pool.withdraw(address(0), winner, 1);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this)));
        pool.setPayer(winner);
        vm.startPrank(owner);
        pool.withdraw(address(0), winner, 4 ether);
        pool.withdraw(address(stock), winner, 5 ether);
        assertEq(winner.balance, 4 ether);
        assertEq(stock.balanceOf(winner), 5 ether);
        vm.expectRevert(PrizePool.ZeroAddress.selector);
        pool.withdraw(address(0), payable(address(0)), 1);
        vm.expectRevert(PrizePool.ZeroAddress.selector);
        pool.setPayer(address(0));
        pool.setPayer(winner);
        assertEq(pool.payer(), winner);
        vm.expectRevert(PrizePool.NeedsOwner.selector);
        pool.renounceOwnership();
    }
}
